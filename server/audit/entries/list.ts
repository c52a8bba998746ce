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
  type ListedPage,
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

/** For deeper pages the rows are counted first, even if the caller skips the total. */
const MAX_BLIND_OFFSET = 10_000;

type PageInput = { page: number; limit: number; skipCount: boolean; cursor?: string | undefined };

/** total and totalPages are -1 when the caller skipped the count. */
type Pagination = { page: number; limit: number; total: number; totalPages: number; nextCursor: string | null };

const cursorOf = (row: EntryRow): Cursor => ({ ms: row.ms, seq: row.chain_seq, orgId: row.org_id });

/** Pagination of a page that ends with `last` (null: the last page). */
function paginate({ page, limit }: PageInput, total: number, last: Cursor | null): Pagination {
  const totalPages = total < 0 ? -1 : Math.ceil(total / limit);
  return { page, limit, total, totalPages, nextCursor: last && encodeCursor(last) };
}

/** Start of a page: a cursor or an offset from the newest row. */
function startOf({ cursor, page, limit }: PageInput): { after: Cursor | undefined; offset: number } {
  return cursor ? { after: decodeCursor(cursor), offset: 0 } : { after: undefined, offset: (page - 1) * limit };
}

/**
 * Rows of a page, plus one if there is a next page; and the total, which is -1 if not requested or not all matches were
 * read.
 */
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

/** Total implied by a page that is not full; -1 if it must be counted. */
function totalBy(input: PageInput, found: EntryRow[]): number {
  const { after, offset } = startOf(input);
  const isLast = found.length <= input.limit && (found.length > 0 || offset === 0);
  return !after && isLast ? offset + found.length : -1;
}

/** Reconciles the total with the rows: both statements have their own snapshot and may see different entries. */
async function totalBeside(input: PageInput, found: EntryRow[], count: () => Promise<number>): Promise<number> {
  if (input.skipCount) return -1;
  const implied = totalBy(input, found);
  if (implied >= 0) return implied;
  return Math.max(await count(), found.length > 0 ? startOf(input).offset + found.length : 0);
}

/** truncated: the text is too short for the index, so only the newest rows were searched. */
type Page = { rows: EntryRow[]; pagination: Pagination; truncated?: true };

/**
 * Searches one or two characters in the newest rows, as many as time allows. total counts the matches among them, on
 * every page; a page cut short continues at its cursor.
 */
async function scanPage(tx: Tx, plan: Plan, input: PageInput & { deadline: Deadline }): Promise<Page> {
  const { after, offset } = startOf(input);
  const end = offset + input.limit;
  const { deadline } = input;
  const all = { after: undefined, need: Number.POSITIVE_INFINITY, deadline };
  const behind = { after, need: end + 1, deadline };
  const scan = scanKeys(tx, plan, input.skipCount ? behind : all);
  // With a cursor, matches on earlier pages count too.
  const paged = after && !input.skipCount ? scanKeys(tx, plan, behind) : scan;
  const [counted, { keys, rest }] = await Promise.all([scan, paged]);
  const rows = await rowsByKey(tx, keys.slice(offset, end), ENTRY);
  const last = keys.length > end ? keys[end - 1] : rest;
  const total = input.skipCount ? -1 : Math.max(counted.keys.length, keys.length);
  const isCut = (rest && keys.length <= end) || (!input.skipCount && counted.rest);
  return { rows, pagination: paginate(input, total, last ?? null), ...(isCut && { truncated: true }) };
}

type ToEntries<E> = (rows: EntryRow[], tx: Tx) => E[] | Promise<E[]>;

/**
 * One page of entries, made in the transaction that reads its rows; reads one extra row to detect a next page.
 * @throws AppError validation_failed for an invalid cursor.
 */
async function readPage<E>(ctx: Ctx, asked: { input: PageInput; filter: AuditFilter }, toEntries: ToEntries<E>) {
  const { input, filter } = asked;
  const { offset } = startOf(input);
  const read = async (tx: Tx): Promise<Page> => {
    const plan = await planFor(tx, ctx, filter);
    if (plan.page.kind === "scan") return scanPage(tx, plan, { ...input, deadline: deadlineOf(ctx, "scan") });
    const before = offset > MAX_BLIND_OFFSET ? await countRows(tx, plan) : -1;
    // Without filters the chain head knows the total; fetch it in the same round trip.
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
  };
  return tenantRead(ctx.scope, async (tx) => {
    const { rows, ...page } = await read(tx);
    return { ...page, entries: await toEntries(rows, tx) };
  });
}

const toFullEntries = (rows: EntryRow[]): FullEntry[] => rows.map(toFullEntry);

/**
 * Full-text search (spec, GET /audit-logs/search): a term anywhere in action, actor email, resource type, resource name
 * or details, case-insensitive, wildcards literal, combined with the common filters. Exact for terms of three or more
 * characters; `truncated` if a shorter one was searched among the newest rows only.
 * @throws AppError validation_failed for an invalid cursor.
 */
export const searchEntries = operation({
  permission: "audit:read",
  input: searchInput,
  output: searchPage,
  async run(ctx, { q, ...input }) {
    const { entries: data, ...page } = await readPage(ctx, { input, filter: { ...input, phrase: q } }, toFullEntries);
    return { data, query: q, ...page };
  },
});

/** truncated: the text is too short for the index, so only the newest entries were searched. */
export type PrintedEntries = { data: FullEntry[]; total: number; truncated: boolean };

/** Newest matches of a filter, up to the print limit, and the number of all. */
export const listForPrint = operation({
  permission: "audit:read",
  input: filterInput,
  output: typed<PrintedEntries>(),
  async run(ctx, input) {
    const page = await readPage(
      ctx,
      { input: { page: 1, limit: MAX_PRINTED, skipCount: false }, filter: input },
      toFullEntries,
    );
    return {
      data: page.entries,
      total: page.pagination.total,
      truncated: page.truncated === true,
    };
  },
});

/**
 * Audit entries of the caller's organizations, newest first, in the flat format of the viewer component.
 * @throws AppError validation_failed for an invalid cursor.
 */
export const listFlatEntries = operation({
  permission: "audit:read",
  input: listInput,
  output: flatPage,
  async run(ctx, input) {
    return readPage(ctx, { input, filter: input }, (rows) => rows.map(toFlatEntry));
  },
});

/** Audit entries in the full format. */
export const listFullEntries = operation({
  permission: "audit:read",
  input: listInput,
  output: fullPage,
  async run(ctx, input) {
    const toEntries: ToEntries<FullEntry> = (rows, tx) => withFirstSeen(tx, toFullEntries(rows));
    const { entries: data, ...page } = await readPage(ctx, { input, filter: input }, toEntries);
    return { data, ...page };
  },
});

/** Audit entries for the dashboard. */
export const listEntries = operation({
  permission: "audit:read",
  input: listInput,
  output: typed<ListedPage>(),
  async run(ctx, input) {
    const { data, ...page } = await listFullEntries.run(ctx, input);
    return { data: data.map(({ checksum: _, prevChecksum: __, ...entry }) => entry), ...page };
  },
});
