import { sentenceText } from "@/server/audit/sentence";
import { inOneLine } from "@/server/ground/text";
import type { Format, StreamedEntry } from "./format";
import { cut, given, isOfSecurity, MAX_FILTERED_IN_LINE } from "./parts";

/** RFC 5424 syslog message: an entry as structured data, its sentence as the message. */

/** Facility 13 (log audit) and severity: informational, notice for a denial, warning for a security failure. */
const PRI = { information: 13 * 8 + 6, notice: 13 * 8 + 5, warning: 13 * 8 + 4 };
/** 32473 is the enterprise number that RFC 5612 reserves for examples. */
export const SD_ID = "trailmark@32473";
/** Size that receivers should accept (RFC 5424, 6.1). */
const MAX_BYTES = 8192;
/** Maximum characters of a text and a name, so that all fit at three bytes each. */
const MAX_TEXT = 512;
const MAX_NAME = 255;
const MAX_HOST = 255;
const MAX_MSGID = 32;
const BOM = "\ufeff";
const NIL = "-";

/** Printable ASCII without spaces, for header fields. */
const inHeader = (text: string, most: number): string =>
  text !== "" && text.length <= most && /^[\x21-\x7e]+$/.test(text) ? text : NIL;

/** Replaces control characters by spaces: some receivers end messages at line breaks. */
const inParameter = (text: string): string => inOneLine(text).replace(/["\\\]]/g, "\\$&");

/** RFC 3339 has years of four digits. */
const timeOf = (iso: string): string => (/^\d{4}-/.test(iso) ? iso : NIL);

type Parameters = Readonly<Record<string, string | number | null | undefined>>;

const dataOf = (parameters: Parameters): string => {
  const pairs = Object.entries(given(parameters)).map(([name, value]) => `${name}="${inParameter(String(value))}"`);
  return `[${[SD_ID, ...pairs].join(" ")}]`;
};

type Head = { pri: number; time: string; origin: string; id: string };

const messageOf = ({ pri, time, origin, id }: Head, data: string, text: string): string =>
  `<${pri}>1 ${timeOf(time)} ${inHeader(origin.split("/")[0] ?? "", MAX_HOST)} trailmark ${NIL} ${inHeader(id, MAX_MSGID)} ${data} ${BOM}${inOneLine(text)}`;

function priorityOf({ action, result }: StreamedEntry["entry"]): number {
  if (result === "denied") return PRI.notice;
  return result === "failure" && isOfSecurity(action) ? PRI.warning : PRI.information;
}

/** Identity and position come first, so that receivers that cut long lines keep them. */
function placeOf({ entry, origin }: StreamedEntry): Parameters {
  return {
    org: entry.orgId,
    seq: entry.chainSeq,
    id: entry.id,
    checksum: entry.checksum,
    prev: entry.prevChecksum,
    origin,
    action: cut(entry.action, MAX_NAME),
    result: entry.result,
  };
}

function restOf({ entry, organization, sealedAt }: StreamedEntry): Parameters {
  const { user, resource, submittedBy } = entry;
  return {
    orgName: cut(organization.name, MAX_NAME),
    sealedAt,
    category: entry.category,
    actorType: entry.actorType,
    actorId: user.id,
    actor: cut(user.email || user.name, MAX_NAME),
    resourceType: resource.type,
    resourceId: resource.id,
    resource: cut(resource.name, MAX_NAME),
    ip: entry.ipAddress,
    userAgent: cut(entry.userAgent, MAX_TEXT),
    error: entry.errorMessage && cut(entry.errorMessage, MAX_TEXT),
    submittedBy: submittedBy?.keyId,
  };
}

function entryLine(streamed: StreamedEntry): string {
  const { entry, row, origin, organization } = streamed;
  const head = { pri: priorityOf(entry), time: entry.timestamp, origin, id: entry.action };
  const text = cut(sentenceText(entry, organization.name), MAX_TEXT);
  const parameters = { ...placeOf(streamed), ...restOf(streamed) };
  const whole = messageOf(head, dataOf({ ...parameters, details: row.details }), text);
  if (Buffer.byteLength(whole) <= MAX_BYTES) return whole;
  const room = MAX_BYTES - Buffer.byteLength(messageOf(head, dataOf({ ...parameters, details: "-", cut: "1" }), text));
  return messageOf(head, dataOf({ ...parameters, details: fitting(row.details ?? "", room), cut: "1" }), text);
}

/** Cuts a text to a number of escaped bytes. */
function fitting(text: string, bytes: number): string {
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (Buffer.byteLength(inParameter(cut(text, middle))) <= bytes) low = middle;
    else high = middle - 1;
  }
  return cut(text, low);
}

export const rfc5424: Format = {
  mediaType: "text/plain",
  maxFiltered: MAX_FILTERED_IN_LINE,
  entry: entryLine,
  marker(marker, origin) {
    const head = { pri: PRI.information, time: marker.at, origin, id: marker.type };
    return messageOf(head, dataOf({ marker: JSON.stringify({ ...marker, origin }) }), "Facts about the entries before");
  },
};
