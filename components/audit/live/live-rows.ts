import type { Entry } from "@/components/audit/entry";

/** The maximum number of arrived rows, shown or held; beyond it the list is reloaded. */
export const MAX_LIVE_ROWS = 300;

/** A page of the list, as the query returns it. */
export type Page = { data: Entry[]; pagination: { nextCursor: string | null } };

/**
 * Entries that arrived since the page was loaded: shown in the list, or held while rows must not move. When too many
 * are held they are dropped and only heldCount goes on; needsReload then requests a reload. arrived counts every entry.
 */
export type LiveRows = { shown: Entry[]; held: Entry[]; heldCount: number; needsReload: boolean; arrived: number };

export const NOTHING_NEW: LiveRows = { shown: [], held: [], heldCount: 0, needsReload: false, arrived: 0 };

/** The list's order: by time, then position in the chain, then organization; newest first. */
function newestFirst(a: Entry, b: Entry): number {
  if (a.timestamp !== b.timestamp) return a.timestamp < b.timestamp ? 1 : -1;
  if (a.chainSeq !== b.chainSeq) return b.chainSeq - a.chainSeq;
  return a.orgId < b.orgId ? 1 : -1;
}

const idsOf = (entries: readonly Entry[]) => new Set(entries.map((entry) => entry.id));

/** Entries that are not known yet, without duplicates. */
function newEntries(entries: readonly Entry[], known: Set<string>): Entry[] {
  return entries.filter((entry) => !known.has(entry.id) && known.add(entry.id));
}

type Arrival = { entries: readonly Entry[]; page: Page | undefined; isHeld: boolean };

/** Adds entries that arrived. */
export function addArrivals(rows: LiveRows, { entries, page, isHeld }: Arrival): LiveRows {
  const fresh = newEntries(entries, idsOf([...rows.shown, ...rows.held, ...(page?.data ?? [])]));
  if (fresh.length === 0) return rows;
  const arrived = rows.arrived + fresh.length;
  if (isHeld) {
    const held = [...rows.held, ...fresh];
    const needsReload = rows.needsReload || held.length > MAX_LIVE_ROWS;
    return { ...rows, held: needsReload ? [] : held, heldCount: rows.heldCount + fresh.length, needsReload, arrived };
  }
  const shown = [...rows.shown, ...fresh];
  return { ...rows, shown, needsReload: rows.needsReload || shown.length > MAX_LIVE_ROWS, arrived };
}

/** Shows the held entries. If too many arrived, the page must be reloaded instead. */
export function withHeldShown(rows: LiveRows): LiveRows {
  return { ...rows, shown: [...rows.shown, ...rows.held], held: [], heldCount: 0 };
}

/** True for an entry that belongs on this page or above it, not on an older page. */
function belongsHere(page: Page, entry: Entry): boolean {
  const last = page.data.at(-1);
  return !last || page.pagination.nextCursor === null || newestFirst(entry, last) < 0;
}

/**
 * After a reload, keeps only the arrived entries that the page does not contain.
 * @param from where the page's range begins; it may have moved past entries that arrived
 */
export function afterReload(rows: LiveRows, page: Page, from = ""): LiveRows {
  const onPage = idsOf(page.data);
  const keep = (entries: Entry[]) =>
    entries.filter((entry) => !onPage.has(entry.id) && belongsHere(page, entry) && entry.timestamp >= from);
  const held = keep(rows.held);
  return { ...rows, shown: keep(rows.shown), held, heldCount: held.length, needsReload: false };
}

/** The page with the arrived entries, without duplicates or entries of an older page. */
export function merged({ shown }: LiveRows, page: Page): Entry[] {
  const above = shown.filter((entry) => belongsHere(page, entry));
  return above.length === 0 ? page.data : [...page.data, ...newEntries(above, idsOf(page.data))].sort(newestFirst);
}

/** True when the newest page overlaps what is known, so that nothing between them is missing. */
export const isContiguous = (newest: Page, rows: LiveRows, page: Page): boolean => {
  const known = idsOf([...page.data, ...rows.shown, ...rows.held]);
  return newest.pagination.nextCursor === null || newest.data.some((entry) => known.has(entry.id));
};
