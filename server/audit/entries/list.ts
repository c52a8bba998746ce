import type { Tx } from "@/db/client";
import { tenantRead } from "@/db/read";
import { type AuditFilter, conditionsOf } from "@/server/audit/query/conditions";
import { countRows } from "@/server/audit/query/count";
import { type Deadline, deadlineOf } from "@/server/audit/query/deadline";
import { type Plan, planFor } from "@/server/audit/query/plan";
import {
  type Cursor,
  decodeCursor,
  ENTRY,
  type EntryRow,
  encodeCursor,
  newestRows,
  rowsByKey,
} from "@/server/audit/query/rows";
import { scanKeys } from "@/server/audit/query/scan";
import { findKeys } from "@/server/audit/query/search";
import {
  type FullEntry,
  filterInput,
  flatPage,
  fullPage,
  listInput,
  searchInput,
  searchPage,
} from "@/server/audit/schema";
import { withFirstSeen } from "@/server/audit/search/first-seen";
import { MAX_PRINTED } from "@/server/audit/vocabulary";
import type { Ctx } from "@/server/ground/context";
import { operation } from "@/server/ground/operation";
import { typed } from "@/server/ground/wire";
import { toFlatEntry, toFullEntry } from "./to-entry";

/** Deeper pages are read only when there are so many rows, even when the caller does not want the total. */
const MAX_BLIND_OFFSET = 10_000;

type PageInput = { page: number; limit: number; skipCount: boolean; cursor?: string | undefined };

/** total and totalPages are -1 when the caller skipped the count. */
type Pagination = { page: number; limit: number; total: number; totalPages: number; nextCursor: string | null };

const cursorOf = (row: EntryRow): Cursor => ({ ms: row.ms, seq: row.chain_seq, orgId: row.org_id });

/** The pagination of a page that ends with `last` (null: nothing follows). */
function paginate({ page, limit }: PageInput, total: number, last: Cursor | null): Pagination {
  const totalPages = total < 0 ? -1 : Math.ceil(total / limit);
  return { page, limit, total, totalPages, nextCursor: last && encodeCursor(last) };
}

/** Where a page begins: at a cursor, or so many rows from the newest. */
function startOf({ cursor, page, limit }: PageInput): { after: Cursor | undefined; offset: number } {
  return cursor ? { after: decodeCursor(cursor), offset: 0 } : { after: undefined, offset: (page - 1) * limit };
}

/** The rows of a page and one more, if there is one; and the total (else -1), where it is wanted and all matches were met. */
async function readRows(tx: Tx, plan: Plan, input: PageInput): Promise<{ found: EntryRow[]; counted: number }> {
  const { after, offset } = startOf(input);
  const limit = input.limit + 1;
  if (plan.all.kind === "rows") {
    const { orgIds, filter } = plan;
    const window = { orgIds, conditions: conditionsOf(filter), after, offset, limit, shape: ENTRY };
    return { found: await newestRows(tx, window), counted: -1 };
  }
  const window = { after, need: offset + limit, total: !after && !input.skipCount && plan.total === "index" };
  const { keys, total = -1 } = await findKeys(tx, plan, window);
  return { found: await rowsByKey(tx, keys.slice(offset), ENTRY), counted: total };
}

/** The total where a page that its rows did not fill implies it; -1 where it has to be counted. */
function totalBy(input: PageInput, found: EntryRow[]): number {
  const { after, offset } = startOf(input);
  const isLast = found.length <= input.limit && (found.length > 0 || offset === 0);
  return !after && isLast ? offset + found.length : -1;
}

/**
 * The total as it may stand beside the rows: each statement sees the entries that were there when it began, and a count
 * that came before the rows or after them may know fewer or more of them.
 */
async function totalBeside(input: PageInput, found: EntryRow[], count: () => Promise<number>): Promise<number> {
  if (input.skipCount) return -1;
  const implied = totalBy(input, found);
  if (implied >= 0) return implied;
  return Math.max(await count(), found.length > 0 ? startOf(input).offset + found.length : 0);
}

/** truncated: a text too short for the index was looked for among the newest rows only. */
export type Page = { rows: EntryRow[]; pagination: Pagination; truncated?: true };

/**
 * Of a text of one or two characters: the newest rows, as many as the time allows. total counts the matches among them, on
 * every page; a page that the time cut short continues at its cursor.
 */
async function scanPage(tx: Tx, plan: Plan, input: PageInput & { deadline: Deadline }): Promise<Page> {
  const { after, offset } = startOf(input);
  const end = offset + input.limit;
  const { deadline } = input;
  const all = { after: undefined, need: Number.POSITIVE_INFINITY, deadline };
  const behind = { after, need: end + 1, deadline };
  const scan = scanKeys(tx, plan, input.skipCount ? behind : all);
  // Behind a cursor the matches of the pages before it count as well.
  const paged = after && !input.skipCount ? scanKeys(tx, plan, behind) : scan;
  const [counted, { keys, rest }] = await Promise.all([scan, paged]);
  const rows = await rowsByKey(tx, keys.slice(offset, end), ENTRY);
  const last = keys.length > end ? keys[end - 1] : rest;
  const total = input.skipCount ? -1 : Math.max(counted.keys.length, keys.length);
  const isCut = (rest && keys.length <= end) || (!input.skipCount && counted.rest);
  return { rows, pagination: paginate(input, total, last ?? null), ...(isCut && { truncated: true }) };
}

/**
 * One page of stored rows with its pagination; one row more is read to know whether another page follows.
 * @throws AppError validation_failed for a cursor that is none.
 */
async function readPage(ctx: Ctx, input: PageInput, filter: AuditFilter): Promise<Page> {
  const { offset } = startOf(input);
  return tenantRead(ctx.scope, async (tx) => {
    const plan = await planFor(tx, ctx, filter);
    if (plan.page.kind === "scan") return scanPage(tx, plan, { ...input, deadline: deadlineOf(ctx, "scan") });
    const before = offset > MAX_BLIND_OFFSET ? await countRows(tx, plan) : -1;
    // The chain's head knows the total of all rows: it is asked in the same round trip.
    const isKnown = !input.skipCount && before < 0 && plan.total === "heads";
    const [{ found, counted }, known] = await Promise.all([
      before >= 0 && offset >= before ? { found: [], counted: -1 } : readRows(tx, plan, input),
      isKnown ? countRows(tx, plan) : before,
    ]);
    const total = await totalBeside(input, found, async () =>
      known >= 0 ? known : counted >= 0 ? counted : countRows(tx, plan),
    );
    const rows = found.slice(0, input.limit);
    const last = found.length > input.limit ? rows.at(-1) : undefined;
    return { rows, pagination: paginate(input, total, last ? cursorOf(last) : null) };
  });
}

/**
 * Full-text search (spec, GET /audit-logs/search): a term anywhere in action, actor email, resource type, resource name or
 * details, without regard to case, wildcards literal, together with the common filters. Exact for terms of three and more
 * characters; `truncated` where a shorter one was looked for among the newest rows only.
 * @throws AppError validation_failed for a cursor that is none.
 */
export const searchEntries = operation({
  permission: "audit:read",
  input: searchInput,
  output: searchPage,
  async run(ctx, { q, ...input }) {
    const { rows, ...page } = await readPage(ctx, input, { ...input, phrase: q });
    return { data: rows.map(toFullEntry), query: q, ...page };
  },
});

/** truncated: a text too short for the index was looked for among the newest entries only. */
export type PrintedEntries = { data: FullEntry[]; total: number; truncated: boolean };

/** The newest entries of a filter, as many as are printed, and how many there are in all. */
export const listForPrint = operation({
  permission: "audit:read",
  input: filterInput,
  output: typed<PrintedEntries>(),
  async run(ctx, input) {
    const page = await readPage(ctx, { page: 1, limit: MAX_PRINTED, skipCount: false }, input);
    return {
      data: page.rows.map(toFullEntry),
      total: page.pagination.total,
      truncated: page.truncated === true,
    };
  },
});

/**
 * Audit entries of the caller's organizations, newest first, in the flat format of the viewer component.
 * @throws AppError validation_failed for a cursor that is none.
 */
export const listFlatEntries = operation({
  permission: "audit:read",
  input: listInput,
  output: flatPage,
  async run(ctx, input) {
    const { rows, ...page } = await readPage(ctx, input, input);
    return { entries: rows.map(toFlatEntry), ...page };
  },
});

/** The same page in the full format. */
export const listFullEntries = operation({
  permission: "audit:read",
  input: listInput,
  output: fullPage,
  async run(ctx, input) {
    const { rows, ...page } = await readPage(ctx, input, input);
    const data = await tenantRead(ctx.scope, (tx) => withFirstSeen(tx, rows.map(toFullEntry)));
    return { data, ...page };
  },
});
