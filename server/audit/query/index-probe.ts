import { type SQL, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { MIN_INDEXED_TERM } from "@/server/audit/vocabulary";
import { containsPattern } from "@/server/text";
import { FILTER_NAMES, FILTERS, type Filter, type FilterName } from "./catalogue";
import {
  type AuditFilter,
  actionConditions,
  agentsOn,
  excludedOf,
  isWholeAddress,
  namedDevices,
  namedPeople,
  valuesOf,
} from "./conditions";
import { allOf } from "./rows";

/**
 * What a block of rows must have to be able to hold a match (db: audit_search_clause): each of the terms in its text, one
 * of each set of values among its tags, a row of the span.
 */
export type IndexProbe = { terms: string[]; tags: string[][]; from?: string; to?: string };

/** More values than this narrow nothing and cost a look-up each. */
const MAX_VALUES = 1_000;

/** The tag that rows with a value carry; null where the value has none. */
type Tag = (value: string) => string | null;

/** The first two parts of an address, with the separators after them. */
const NETWORK = /^[^.:]*[.:][^.:]*[.:]/;

/** The tags that the values of a filter name themselves. */
export const TAGS: Partial<Record<FilterName, readonly Tag[]>> = {
  actorType: [(type) => `type:${type}`],
  result: [(result) => `result:${result}`],
  actorId: [(id) => `actor:${id.toLowerCase()}`],
  rawActorId: [(id) => `actor:${id}`],
  resourceId: [(id) => `resource:${id.toLowerCase()}`],
  resourceType: [(type) => `kind:${type}`],
  ip: [
    (ip) => (isWholeAddress(ip) ? `ip:${ip}` : null),
    (ip) => {
      const network = NETWORK.exec(ip)?.[0];
      return network ? `net:${network}` : null;
    },
  ],
};

/** Values of a kind that some organizations have, as rows `t(value)`. */
const termsOf = (orgIds: readonly string[], kind: "action" | "email" | "device"): SQL =>
  sql`(SELECT value FROM audit_search_terms WHERE org_id = ANY (${sql.param([...orgIds])}::uuid[]) AND kind = ${kind}) t`;

/** The tags that have to be looked up, as rows `v(tag)`. */
export const LOOKED_UP: Partial<Record<FilterName, (orgIds: readonly string[], text: string) => SQL>> = {
  /** Addresses and people. */
  user: (orgIds, text) =>
    sql`SELECT 'email:' || t.value FROM ${termsOf(orgIds, "email")} WHERE t.value ILIKE ${containsPattern(text)}
      UNION ALL SELECT 'actor:' || n.id FROM (${namedPeople(text)}) n`,
  /** Devices by what they were called at the time, by what they are called now, and as where an agent runs. */
  device: (orgIds, text) =>
    sql`SELECT 'device:' || t.value FROM ${termsOf(orgIds, "device")} WHERE t.value ILIKE ${containsPattern(text)}
      UNION ALL SELECT 'resource:' || n.id FROM (${namedDevices(text)}) n
      UNION ALL SELECT 'actor:' || n.id FROM (${agentsOn(text)}) n`,
};

/** The actions that meet the conditions on the action. */
const actionTags = (orgIds: readonly string[], conditions: SQL[]): SQL =>
  sql`SELECT 'action:' || a.action FROM (SELECT t.value AS action FROM ${termsOf(orgIds, "action")}) a
    WHERE ${allOf(conditions)}`;

/** Filters whose text every matching block contains. */
const TERMS = ["q", "resource"] as const;

/** Sets of tags that have to be looked up; one with more values than narrow anything is left out. */
async function lookedUpTags(tx: Tx, orgIds: readonly string[], filter: AuditFilter): Promise<string[][]> {
  const onAction = actionConditions(filter);
  const queries = FILTER_NAMES.flatMap((name) => {
    const [text, ...others] = valuesOf(filter, name);
    const lookUp = LOOKED_UP[name];
    return lookUp && text && others.length === 0 ? [lookUp(orgIds, text)] : [];
  });
  if (onAction.length > 0) queries.push(actionTags(orgIds, onAction));
  const found = await Promise.all(
    queries.map((tags) =>
      rowsOf<{ tag: string }>(tx, sql`SELECT DISTINCT v.tag FROM (${tags}) AS v(tag) LIMIT ${MAX_VALUES + 1}`),
    ),
  );
  return found.filter((rows) => rows.length <= MAX_VALUES).map((rows) => rows.map((row) => row.tag));
}

/** Sets of tags that the filter's values name; of excluded values those that are left, where all of them are known. */
function namedTags(filter: AuditFilter): string[][] {
  return FILTER_NAMES.flatMap((name) => {
    const { choices }: Filter = FILTERS[name];
    const excluded = excludedOf(filter, name);
    const left = choices && excluded.length > 0 ? Object.keys(choices).filter((v) => !excluded.includes(v)) : null;
    const wanted = valuesOf(filter, name);
    return [wanted.length > 0 ? wanted : null, left].flatMap((values) =>
      (TAGS[name] ?? []).flatMap((tag) => {
        const tags = values?.map(tag);
        return tags?.every((one) => one !== null) ? [tags] : [];
      }),
    );
  });
}

/**
 * The probe of a filter; null when nothing in it narrows the blocks but the span, where the index by time serves.
 * A set of tags that is empty means that no indexed row matches.
 */
export async function probeOf(tx: Tx, orgIds: readonly string[], filter: AuditFilter): Promise<IndexProbe | null> {
  const { from, to } = filter;
  const tags = [...(await lookedUpTags(tx, orgIds, filter)), ...namedTags(filter)];
  const terms = TERMS.flatMap((name) => filter[name] || []);
  if (tags.length === 0 && terms.length === 0) return null;
  return { terms, tags, ...(from && { from: from.toISOString() }), ...(to && { to: to.toISOString() }) };
}

/** True when no block can hold a match. */
export const matchesNothing = (probe: IndexProbe): boolean => probe.tags.some((values) => values.length === 0);

/** True when the trigram index serves: some set of values, or a term long enough to have a trigram. */
export const isIndexed = ({ terms, tags }: IndexProbe): boolean =>
  tags.length > 0 || terms.some((term) => [...term].length >= MIN_INDEXED_TERM);
