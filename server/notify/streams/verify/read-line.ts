import { z } from "zod";
import { checksumOf } from "@/server/evidence/chain/chain-hash";
import { readExact, writeExact } from "@/server/ground/exact-json";
import { isObject } from "@/server/ground/records";
import { batchMarker } from "@/server/notify/streams/formats/format";
import { SD_ID } from "@/server/notify/streams/formats/rfc5424";

/** Parses a line of a receiver's file in any format, also inside wrappers added by receivers. */

const { orgId, digest: checksum } = batchMarker.shape;
const seq = z.int().positive();
const text = z.string();

const placed = z.object({ orgId, seq, checksum, previous: checksum.nullable() });

/**
 * Position of an entry in its chain. content: whether its contents match the checksum; unread if the line is
 * incomplete.
 */
export type PlacedEntry = z.output<typeof placed> & { kind: "entry"; content: "good" | "altered" | "unread" };

const marker = batchMarker.omit({ at: true }).extend({ origin: text });
export type ReadMarker = z.output<typeof marker> & { kind: "marker" };
export type Found = PlacedEntry | ReadMarker;

const native = z.object({
  type: z.literal("trailmark.entry.v1"),
  id: text,
  orgId,
  timestamp: z.iso.datetime({ precision: 3 }).or(z.string().regex(/^[+-]\d{6}-/)),
  actorType: text,
  actorId: text,
  actorEmail: text.nullable(),
  action: text,
  resourceType: text,
  resourceId: text.nullable(),
  resourceName: text.nullable(),
  ipAddress: text.nullable(),
  userAgent: text.nullable(),
  result: text,
  errorMessage: text.nullable(),
  chainSeq: seq,
  prevChecksum: checksum.nullable(),
  checksum,
  details: z.unknown(),
});

const byBytes = ([a]: [string, unknown], [b]: [string, unknown]): number =>
  Buffer.byteLength(a) - Buffer.byteLength(b) || Buffer.compare(Buffer.from(a), Buffer.from(b));

/** JSON as PostgreSQL writes jsonb, the hashed form, whatever a receiver changed. */
function asStored(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(asStored).join(", ")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).sort(byBytes);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}: ${asStored(member)}`).join(", ")}}`;
}

function nativeEntry(value: unknown): Found | null {
  const { data } = native.safeParse(value);
  if (!data) return null;
  const { chainSeq, prevChecksum: previous, checksum, orgId, timestamp, details, type: _, ...rest } = data;
  const place = { kind: "entry" as const, orgId, seq: chainSeq, checksum, previous };
  if (details === undefined) return { ...place, content: "unread" };
  const recomputed = checksumOf({
    ...rest,
    ...{ orgId, chainSeq, prevChecksum: previous },
    timestampMs: Date.parse(timestamp),
    details: details === null ? null : writeExact(asStored(details)),
  });
  return { ...place, content: recomputed === checksum ? "good" : "altered" };
}

function entryAt(place: unknown): Found | null {
  const { data } = placed.safeParse(place);
  return data ? { ...data, kind: "entry", content: "unread" } : null;
}

function markerIn(json: unknown): Found | null {
  try {
    const { data } = marker.safeParse(typeof json === "string" ? JSON.parse(json) : json);
    return data ? { ...data, kind: "marker" } : null;
  } catch {
    return null;
  }
}

const ocsf = z.object({
  metadata: z.object({ sequence: seq }),
  attestation_list: z.tuple(
    [
      z.object({
        chain_uid: text,
        fingerprint: z.object({ value: text }),
        prev_event: z.object({ fingerprint: z.object({ value: text }) }).optional(),
      }),
    ],
    z.unknown(),
  ),
});
const ocsfMarker = z.object({ unmapped: z.object({ trailmark_marker: text }) });
const ecs = z.object({
  event: z.object({ sequence: seq, hash: text, dataset: z.literal("trailmark.audit") }),
  organization: z.object({ id: text }),
  trailmark: z.object({ previous_hash: text.optional() }),
});
const ecsMarker = z.object({ trailmark: z.object({ marker: text }) });

function ocsfEntry(value: unknown): Found | null {
  const { data } = ocsf.safeParse(value);
  if (!data) return null;
  const [{ chain_uid, fingerprint, prev_event }] = data.attestation_list;
  return entryAt({
    orgId: chain_uid,
    seq: data.metadata.sequence,
    checksum: fingerprint.value,
    previous: prev_event?.fingerprint.value ?? null,
  });
}

function ecsEntry(value: unknown): Found | null {
  const { data } = ecs.safeParse(value);
  if (!data) return null;
  const { event, organization, trailmark } = data;
  const { sequence, hash } = event;
  return entryAt({ orgId: organization.id, seq: sequence, checksum: hash, previous: trailmark.previous_hash ?? null });
}

function objectFound(value: Record<string, unknown>): Found | null {
  if (typeof value.type === "string" && value.type.startsWith("trailmark."))
    return nativeEntry(value) ?? markerIn(value);
  if (value.attestation_list) return ocsfEntry(value);
  if (value.unmapped) return markerIn(ocsfMarker.safeParse(value).data?.unmapped.trailmark_marker);
  if (!value.trailmark) return null;
  return ecsEntry(value) ?? markerIn(ecsMarker.safeParse(value).data?.trailmark.marker);
}

const MAX_DEPTH = 5;

function inValue(value: unknown, depth: number): Found[] {
  if (typeof value === "string") return value.includes("railmark") ? inText(value, depth + 1) : [];
  if (depth > MAX_DEPTH || typeof value !== "object" || value === null) return [];
  const found = isObject(value) ? objectFound(value) : null;
  return found ? [found] : Object.values(value).flatMap((member) => inValue(member, depth + 1));
}

function parsed(json: string): unknown {
  try {
    return readExact(json);
  } catch {
    return undefined;
  }
}

/** JSON in a line: the whole line, an item of a multi-line array, or text after a header. */
function inJson(line: string, depth: number): Found[] {
  const item = line.replace(/^[[,\s]+/, "").replace(/[\],\s]+$/, "");
  const behind = [...line.matchAll(/\{"/g)].slice(0, 3).map(({ index }) => line.slice(index));
  for (const json of [line, item, ...behind]) {
    const found = inValue(parsed(json), depth);
    if (found.length > 0) return found;
  }
  return [];
}

function inCef(line: string): Found | null {
  const [, header, extension] = /CEF:0\|((?:(?:[^|\\]|\\.)*\|){6})(.*)$/su.exec(line) ?? [];
  if (!header?.startsWith("Trailmark|") || extension === undefined) return null;
  const pairs = [...extension.matchAll(/(?:^| )(\w+)=((?:\\.|[^\\=])*)(?= \w+=|\s*$)/gsu)];
  const values = new Map(
    pairs.map(([, key = "", value = ""]) => [
      key,
      value.replace(/\\(.)/gs, (_, mark: string) => (mark === "n" ? "\n" : mark)),
    ]),
  );
  const [orgId, seq, checksum] = [values.get("cs5"), Number(values.get("cn1")), values.get("cs3")];
  return entryAt({ orgId, seq, checksum, previous: values.get("cs4") ?? null }) ?? markerIn(values.get("msg"));
}

const DATA = new RegExp(String.raw`\[${SD_ID}((?: [^\s="\]]+="(?:[^"\\\]]|\\.)*")*)\]`, "su");

function inStructuredData(line: string): Found | null {
  const [, data] = DATA.exec(line) ?? [];
  if (data === undefined) return null;
  const pairs = [...data.matchAll(/ ([^\s="\]]+)="((?:[^"\\\]]|\\.)*)"/gsu)];
  const values = new Map(pairs.map(([, name = "", value = ""]) => [name, value.replace(/\\(["\\\]])/g, "$1")]));
  const [orgId, seq, checksum] = [values.get("org"), Number(values.get("seq")), values.get("checksum")];
  return entryAt({ orgId, seq, checksum, previous: values.get("prev") ?? null }) ?? markerIn(values.get("marker"));
}

function inText(line: string, depth: number): Found[] {
  const found = inStructuredData(line) ?? inCef(line);
  return found ? [found] : inJson(line, depth);
}

/** Entries and markers in a line; none in unrelated lines. */
export const readLine = (line: string): Found[] => inText(line, 0);
