import { actionLabel } from "@/server/audit/action-label";
import { sentenceText } from "@/server/audit/sentence";
import type { AuditResult } from "@/server/audit/vocabulary";
import { writeExact } from "@/server/ground/exact-json";
import { capitalized, inOneLine } from "@/server/ground/text";
import type { BatchMarker, Format, StreamedEntry } from "./format";
import { addressOf, cut, deviceOf, given, MAX_FILTERED_IN_LINE, PRODUCT, userNameOf } from "./parts";

/** ArcSight Common Event Format, version 0: a header between pipes, then keys with values. */

const SEVERITY: Record<AuditResult, number> = { success: 3, failure: 6, denied: 8 };
/** Character limit of the dictionary's fields. */
const MAX_VALUE = 1023;
const MAX_CUSTOM = 4000;
const MAX_HEADER = 512;

const inHeader = (text: string): string => cut(inOneLine(text), MAX_HEADER).replace(/[\\|]/g, "\\$&");

const BREAKS = /\r\n|[\n\r\u0085\u2028\u2029]/g;
/** Escapes line breaks in values as \n; other control characters become a space. */
const inValue = (text: string): string =>
  text
    .replace(/[\\=]/g, "\\$&")
    .replace(BREAKS, "\\n")
    .replace(/\p{Cc}/gu, " ");

type Value = string | number | null | undefined;

const extensionOf = (values: Readonly<Record<string, Value>>): string =>
  Object.entries(given(values))
    .map(([key, value]) => `${key}=${inValue(String(value))}`)
    .join(" ");

type Head = { id: string; name: string; severity: number };

const line = ({ id, name, severity }: Head, values: Readonly<Record<string, Value>>): string =>
  `CEF:0|${PRODUCT.name}|${PRODUCT.name}|${PRODUCT.version}|${inHeader(id)}|${inHeader(name)}|${severity}|${extensionOf(values)}`;

const labeled = (field: string, label: string, value: Value): Record<string, Value> =>
  value === null || value === undefined || value === ""
    ? {}
    : { [field]: typeof value === "string" ? cut(value, MAX_CUSTOM) : value, [`${field}Label`]: label };

function sourceOf(streamed: StreamedEntry): Record<string, Value> {
  const address = addressOf(streamed);
  if (!address) return {};
  if (address.family === 4) return { src: address.text };
  return address.family === 6 ? labeled("c6a2", "Source IPv6 Address", address.text) : { shost: address.text };
}

function targetOf(streamed: StreamedEntry): Record<string, Value> {
  const { resource } = streamed.entry;
  const device = deviceOf(streamed);
  const host = device && { dhost: cut(device.name, MAX_VALUE), deviceExternalId: device.id };
  return resource.type === "user" ? { ...host, duid: resource.id, duser: cut(resource.name, MAX_VALUE) } : { ...host };
}

function valuesOf(streamed: StreamedEntry): Record<string, Value> {
  const { entry, row, organization, sealedAt } = streamed;
  const { resource } = entry;
  return {
    rt: Date.parse(entry.timestamp),
    externalId: entry.id,
    cat: entry.category,
    outcome: entry.result,
    reason: entry.errorMessage && cut(entry.errorMessage, MAX_VALUE),
    suid: entry.user.id,
    suser: cut(userNameOf(streamed), MAX_VALUE),
    spriv: entry.user.role,
    ...sourceOf(streamed),
    requestClientApplication: cut(entry.userAgent, MAX_VALUE),
    ...targetOf(streamed),
    ...labeled("cn1", "chainSeq", entry.chainSeq),
    ...labeled("cs1", "organization", organization.name),
    ...labeled("cs2", "resource", [resource.type, resource.id, resource.name].filter(Boolean).join(" ")),
    ...labeled("cs3", "checksum", entry.checksum),
    ...labeled("cs4", "previousChecksum", entry.prevChecksum),
    ...labeled("cs5", "orgId", entry.orgId),
    ...labeled("cs6", "sentence", sentenceText(entry, organization.name)),
    ...labeled("deviceCustomDate1", "sealedAt", sealedAt && Date.parse(sealedAt)),
    msg: row.details && cut(writeExact(row.details), MAX_VALUE),
  };
}

export const cef: Format = {
  mediaType: "text/plain",
  maxFiltered: MAX_FILTERED_IN_LINE,
  entry(streamed) {
    const { action, result } = streamed.entry;
    const head = { id: action, name: capitalized(actionLabel(action)), severity: SEVERITY[result] };
    return line(head, valuesOf(streamed));
  },
  marker(marker: BatchMarker, origin) {
    const head = { id: marker.type, name: "Facts about the entries before", severity: 0 };
    return line(head, {
      rt: Date.parse(marker.at),
      externalId: marker.batch,
      msg: JSON.stringify({ ...marker, origin }),
    });
  },
};
