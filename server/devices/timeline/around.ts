import { sql } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { getRow } from "@/server/audit/entries/get";
import { toFullEntry } from "@/server/audit/entries/to-entry";
import { conditionsOf } from "@/server/audit/query/conditions";
import { type Cursor, ENTRY, type EntryRow, newestRows, reachedBy } from "@/server/audit/query/rows";
import { preferDeviceIndex } from "@/server/devices/devices";
import type { Ctx } from "@/server/ground/context";
import { operation } from "@/server/ground/operation";
import { MINUTE_MS } from "@/server/ground/time/durations";
import { diagnosticItems, eventItems } from "./log-items";
import { type AroundInput, aroundInput, aroundPage, type TimelineItem } from "./schema";
import { deviceOf, type NamedDevice, type Ties, tiesOf } from "./ties";
import { TIMELINE_SOURCES, type Tie } from "./vocabulary";

const MIN_ROWS = 100;

type Side = "older" | "newer";
type Found = { item: TimelineItem; ties: Tie[] };
type SideRequest = { entry: EntryRow; device: NamedDevice | null; ties: Ties; input: AroundInput; side: Side };

const cursorOf = (row: EntryRow): Cursor => ({ ms: row.ms, seq: row.chain_seq, orgId: row.org_id });

const auditItem = (row: EntryRow): TimelineItem => ({
  source: "audit",
  at: new Date(row.ms).toISOString(),
  key: row.id,
  entry: toFullEntry(row),
});

/** The minutes on one side of the entry, including its own instant. */
function spanOf({ entry, input, side }: SideRequest): { from: Date; to: Date } {
  const [at, far] = [entry.ms, entry.ms + (side === "newer" ? 1 : -1) * input.minutes * MINUTE_MS];
  return { from: new Date(Math.min(at, far)), to: new Date(Math.max(at, far)) };
}

const sharedBy = (row: EntryRow, ties: Ties): Tie[] =>
  [...ties].filter(([, { isShared }]) => isShared(row)).map(([tie]) => tie);

/** Entries on one side that share a tie, nearest first, plus one if there are more than the limit. */
async function entriesBeside(tx: Tx, ctx: Ctx, request: SideRequest): Promise<Found[]> {
  const { entry, ties, input, side } = request;
  const wanted = [...ties].filter(([tie]) => input.ties.includes(tie));
  if (wanted.length === 0) return [];
  const either = sql.join(
    wanted.map(([, { condition }]) => condition),
    sql` OR `,
  );
  const window = {
    orgIds: await reachedBy(tx, ctx.scope),
    conditions: [...conditionsOf(spanOf(request)), sql`(${either})`],
    limit: Math.max(MIN_ROWS, input.limit + 1),
    shape: ENTRY,
  };
  const found: Found[] = [];
  for (let from: Cursor | undefined = cursorOf(entry); from && found.length <= input.limit; ) {
    const rows: EntryRow[] = await newestRows(tx, {
      ...window,
      ...(side === "newer" ? { before: from } : { after: from }),
    });
    // Nearest first; the condition matches part of a device's name, the test the full name.
    for (const row of side === "newer" ? rows.toReversed() : rows)
      if (wanted.some(([, { isShared }]) => isShared(row)))
        found.push({ item: auditItem(row), ties: sharedBy(row, ties) });
    const last = side === "newer" ? rows[0] : rows.at(-1);
    from = last && rows.length === window.limit ? cursorOf(last) : undefined;
  }
  return found;
}

/** Device log entries on one side, nearest first. */
async function logsBeside(tx: Tx, request: SideRequest): Promise<Found[]> {
  const { device, input, side } = request;
  if (!device?.isKnown || !input.ties.includes("device")) return [];
  const { from, to } = spanOf(request);
  const span = side === "newer" ? { after: from, to } : { from, to };
  const window = { device, input: { search: undefined, limit: input.limit, ...span }, start: null };
  const diagnostic = input.sources.includes("diagnostic") ? await diagnosticItems(tx, window) : [];
  const events = input.sources.includes("event") ? await eventItems(tx, window) : [];
  return [...diagnostic, ...events].map((item) => ({ item, ties: ["device", "organization"] }));
}

const rankOf = ({ item }: Found): number => TIMELINE_SOURCES.indexOf(item.source);
const msOf = ({ item }: Found): number => Date.parse(item.at);

/** One side of the entry, newest first, limited to the nearest. */
function merge(all: Found[], { input, side }: SideRequest): { found: Found[]; hasMore: boolean } {
  const away = side === "newer" ? 1 : -1;
  // Logs are read nearest first and the sort is stable, so items of one log at one instant keep their order.
  all.sort((a, b) => away * (msOf(a) - msOf(b)) || away * (rankOf(b) - rankOf(a)));
  const found = all.slice(0, input.limit);
  return { found: side === "newer" ? found.reverse() : found, hasMore: all.length > input.limit };
}

async function sidesOf(tx: Tx, ctx: Ctx, request: Omit<SideRequest, "side">) {
  const newer: SideRequest = { ...request, side: "newer" };
  const older: SideRequest = { ...request, side: "older" };
  const isAudited = request.input.sources.includes("audit");
  // Audit log first: the planner setting for device logs would slow it down.
  const entries = async (side: SideRequest) => (isAudited ? entriesBeside(tx, ctx, side) : []);
  const [newerEntries, olderEntries] = [await entries(newer), await entries(older)];
  await preferDeviceIndex(tx);
  return {
    newer: merge([...newerEntries, ...(await logsBeside(tx, newer))], newer),
    older: merge([...olderEntries, ...(await logsBeside(tx, older))], older),
  };
}

/**
 * Items around an entry that share its session, actor, address or device within some minutes, from the audit log and
 * the device's logs, by time, newest first, including the entry.
 * @throws AppError not_found when the entry is missing or belongs to another organization.
 */
export const listAround = operation({
  permission: "audit:read",
  input: aroundInput,
  output: aroundPage,
  async run(ctx, input) {
    const entry = await getRow(ctx, input.id);
    const mayReadLogs = ctx.permissions.has("devices:read");
    const leftOut = input.sources.filter((source) => source !== "audit" && !mayReadLogs);
    const sources = input.sources.filter((source) => !leftOut.includes(source));
    return tenant(ctx.scope, async (tx) => {
      const device = await deviceOf(tx, entry);
      const ties = await tiesOf(tx, entry, device);
      const { newer, older } = await sidesOf(tx, ctx, { entry, device, ties, input: { ...input, sources } });
      return {
        entry: toFullEntry(entry),
        device: device && { id: device.id, hostname: device.hostname, isKnown: device.isKnown && mayReadLogs },
        ties: [...ties.keys()],
        data: [...newer.found, { item: auditItem(entry), ties: [...ties.keys()] }, ...older.found],
        hasOlder: older.hasMore,
        hasNewer: newer.hasMore,
        leftOut,
      };
    });
  },
});
