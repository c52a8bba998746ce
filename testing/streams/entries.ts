import { toFullEntry } from "@/server/audit/entries/to-entry";
import type { EntryRow } from "@/server/audit/query/rows";
import { checksumOf } from "@/server/evidence/chain/chain-hash";
import { originOf } from "@/server/evidence/tree/statement";
import type { StreamedEntry } from "@/server/notify/streams/formats/format";

export const STREAM_HOST = "trailmark.northwind.example";
export const STREAM_ORG = {
  id: "0194a0b2-0000-7000-8000-0000000000aa",
  name: "Contoso Dental",
  slug: "contoso-dental",
};
const JANE = "0194a0b2-0000-7000-8000-000000000001";
const START_MS = Date.UTC(2026, 10, 20, 8, 0, 0, 123);

export type RowOver = Partial<Omit<EntryRow, "checksum" | "prev_checksum" | "chain_seq">>;

const idOf = (seq: number): string => `0194a0b2-0000-7000-8000-${String(seq).padStart(12, "0")}`;

const base = (seq: number): Omit<EntryRow, "checksum" | "prev_checksum" | "chain_seq"> => ({
  id: idOf(seq),
  org_id: STREAM_ORG.id,
  ms: START_MS + seq * 60_000,
  actor_type: "user",
  actor_id: JANE,
  actor_email: "jane.doe@northwind.example",
  action: "device.create",
  resource_type: "device",
  resource_id: "0194a0b2-0000-7000-8000-000000000042",
  resource_name: "WS-042",
  details: '{"os": "Windows 11", "ram": 9007199254740993}',
  ip_address: "203.0.113.7",
  user_agent: "Mozilla/5.0",
  result: "success",
  error_message: null,
  user_name: "Jane Doe",
  user_email: "jane.doe@northwind.example",
  user_role: "admin",
  user_department: null,
  key_name: null,
  hostname: null,
});

/** A row sealed after another, as in the chain. */
function sealed(over: RowOver, seq: number, prev_checksum: string | null): EntryRow {
  const row = { ...base(seq), ...over };
  const checksum = checksumOf({
    prevChecksum: prev_checksum,
    chainSeq: seq,
    id: row.id,
    orgId: row.org_id,
    timestampMs: row.ms,
    actorType: row.actor_type,
    actorId: row.actor_id,
    actorEmail: row.actor_email,
    action: row.action,
    resourceType: row.resource_type,
    resourceId: row.resource_id,
    resourceName: row.resource_name,
    details: row.details,
    ipAddress: row.ip_address,
    userAgent: row.user_agent,
    result: row.result,
    errorMessage: row.error_message,
  });
  return { ...row, chain_seq: String(seq), prev_checksum, checksum };
}

const streamed = (row: EntryRow, organization: StreamedEntry["organization"]): StreamedEntry => ({
  entry: toFullEntry(row),
  row,
  organization,
  sealedAt: new Date(row.ms + 40).toISOString(),
  origin: originOf(STREAM_HOST, row.org_id),
});

/** A chain of entries from sequence 1, one per `over`. */
export function chainOf(
  over: readonly RowOver[],
  organization: StreamedEntry["organization"] = STREAM_ORG,
): StreamedEntry[] {
  let previous: string | null = null;
  return over.map((one, i) => {
    const row: EntryRow = sealed({ org_id: organization.id, ...one }, i + 1, previous);
    previous = row.checksum;
    return streamed(row, organization);
  });
}

/** An entry with the given members, second in its chain. */
export function entryOf(over: RowOver = {}): StreamedEntry {
  const [, second] = chainOf([{}, over]);
  if (!second) throw new Error("a chain of two has a second entry");
  return second;
}
