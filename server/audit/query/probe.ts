import { type SQL, sql } from "drizzle-orm";
import { textArray, uuids } from "@/db/arrays";
import { layout } from "@/db/citus/layout";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { MIN_INDEXED_TERM, ROUTINE_ACTIONS } from "@/server/audit/vocabulary";
import { containsPattern } from "@/server/ground/text";
import { FILTERS, type Filter } from "./catalogue";
import {
  agentsCalled,
  agentsOn,
  conditionsOn,
  excludedOf,
  isWholeAddress,
  namedDevices,
  namedKeys,
  namedPeople,
  ON_ACTION,
  ROW_FILTERS,
  type RowFilter,
  type RowFilterName,
  valuesOf,
} from "./conditions";
import { allOf, INDEXED_THROUGH } from "./rows";
import { groupsOf, type Network, networkOf } from "./values";
import { actorTypesCalled, spellingsOf, tagsOfWord, type Within } from "./words";

/** The first two parts of an address, with the separators after them: what the index tags it by (audit_search_make). */
const PREFIX_PARTS = /^[^.:]*[.:][^.:]*[.:]/;

/** Shorter networks hold more pairs of first parts than narrow anything. */
const MIN_BITS = { 4: 7, 6: 32 } as const;

function pairsOfV4({ address, bits }: Network): string[] {
  const [a = 0, b = 0] = address.split(".").map(Number);
  const pair = a * 256 + b;
  const span = bits >= 16 ? 1 : 2 ** (16 - bits);
  const first = Math.floor(pair / span) * span;
  return Array.from({ length: span }, (_, i) => `${Math.floor((first + i) / 256)}.${(first + i) % 256}.`);
}

/** "::" may stand for the second group, or for both. */
function pairsOfV6(address: string): string[] {
  const [a = 0, b = 0] = groupsOf(address) ?? [];
  const [first, second] = [a.toString(16), b.toString(16)];
  return [`${first}:${second}:`, ...(b === 0 ? [`${first}::`] : []), ...(a === 0 ? ["::"] : [])];
}

/** The tags of the addresses in a network, or of an IPv6 address; null for anything else, and where they are too many. */
function networkTags(text: string): string[] | null {
  const network = networkOf(text) ?? (groupsOf(text) ? { address: text, bits: 128, version: 6 as const } : null);
  if (!network || network.bits < MIN_BITS[network.version]) return null;
  const pairs = network.version === 4 ? pairsOfV4(network) : pairsOfV6(network.address);
  return pairs.map((pair) => `net:${pair}`);
}

/**
 * What a block of rows must have to be able to hold a match (db: audit_search_clause): one of each set of values among
 * its tags, of each pair one of the terms in its text or one of the tags, a row of the span.
 */
type Clause = { tags: string[][]; any: Either[]; from?: string; to?: string };
/** through: how far each organization's index had come before the tags were looked up; rows past it may have others. */
export type IndexProbe = Clause & { through: ReadonlyMap<string, number> };
type Either = { terms: string[]; tags: string[] };

/** The clause of a probe as the database reads it. */
export const clauseOf = ({ through: _, ...clause }: IndexProbe): string => JSON.stringify(clause);

/** What JSON writes as it is. */
const PLAIN = /^[\w.:@-]+$/;

/** More values than this narrow nothing and cost a look-up each. */
const MAX_VALUES = 1_000;

/** The tags of which rows with a value carry one; null where there are none, or too many. */
type Tags = (value: string) => string | string[] | null;

/** The tag of addresses that begin with a text. */
const beginningTags: Tags = (text) => PREFIX_PARTS.exec(text)?.map((parts) => `net:${parts}`) ?? null;

/** The tags that the values of a filter name themselves. */
const TAGS: Partial<Record<RowFilterName, readonly Tags[]>> = {
  actorType: [(type) => `type:${type}`],
  result: [(result) => `result:${result}`],
  actorId: [(id) => `actor:${id.toLowerCase()}`],
  rawActorId: [(id) => `actor:${id}`],
  resourceId: [(id) => `resource:${id.toLowerCase()}`],
  resourceType: [(type) => `kind:${type}`],
  ip: [
    (ip) => (isWholeAddress(ip) && !ip.includes(":") ? `ip:${ip}` : null),
    (ip) => networkTags(ip) ?? (ip.includes("/") ? null : beginningTags(ip)),
  ],
};

/** Values of a kind that some organizations have, as rows `t(value)`. */
const termsOf = (orgIds: readonly string[], kind: "action" | "email" | "device"): SQL =>
  sql`(SELECT value FROM audit_search_terms WHERE org_id = ANY (${uuids(orgIds)}) AND kind = ${kind}) t`;

/** Where tags are looked up: in what is indexed of some organizations, and among the names that are known within some. */
type Among = { orgIds: readonly string[]; within: Within };

/** The tags that have to be looked up, as rows `v(tag)`. */
const LOOKED_UP: Partial<Record<RowFilterName, (among: Among, text: string) => SQL>> = {
  /** Addresses and people. */
  user: ({ orgIds, within }, text) =>
    sql`SELECT 'email:' || t.value FROM ${termsOf(orgIds, "email")} WHERE t.value ILIKE ${containsPattern(text)}
      UNION ALL SELECT 'actor:' || n.id FROM (${namedPeople(text, within)}) n
      UNION ALL SELECT 'actor:' || n.id FROM (${namedKeys(text, within)}) n
      UNION ALL SELECT 'actor:' || n.id FROM (${agentsCalled(text, within)}) n
      UNION ALL SELECT 'type:' || n.type FROM unnest(${textArray(actorTypesCalled(text))}) AS n(type)`,
  /** Devices by what they were called at the time, by what they are called now, and as where an agent runs. */
  device: ({ orgIds, within }, text) =>
    sql`SELECT 'device:' || t.value FROM ${termsOf(orgIds, "device")} WHERE t.value ILIKE ${containsPattern(text)}
      UNION ALL SELECT 'resource:' || n.id FROM (${namedDevices(text, within)}) n
      UNION ALL SELECT 'actor:' || n.id FROM (${agentsOn(text, within)}) n`,
};

/** The filters whose values are part of a block's text: whether a value is there as it is given. */
const IN_TEXT: Partial<Record<RowFilterName, (value: string) => boolean>> = {
  resource: () => true,
  // It is in the details, as JSON writes it.
  session: (id) => PLAIN.test(id),
};

/** The actions that meet the conditions on the action. */
const actionTags = (orgIds: readonly string[], conditions: SQL[]): SQL =>
  sql`SELECT 'action:' || a.action FROM (SELECT t.value AS action FROM ${termsOf(orgIds, "action")}) a
    WHERE ${allOf(conditions)}`;

/** The tags of which a block with entries other than routine telemetry has one: another action, or another result. */
const unroutineTags = (orgIds: readonly string[]): SQL =>
  sql`${actionTags(orgIds, [sql`a.action <> ALL (${textArray(ROUTINE_ACTIONS)})`])}
    UNION ALL SELECT n.tag FROM (VALUES ('result:failure'), ('result:denied')) AS n(tag)`;

/** Sets of tags that have to be looked up; one with more values than narrow anything is left out. */
async function lookedUpTags(tx: Tx, orgIds: readonly string[], filter: RowFilter): Promise<string[][]> {
  const onAction = conditionsOn(filter, ON_ACTION);
  const queries = ROW_FILTERS.flatMap((name) => {
    const lookUp = LOOKED_UP[name];
    const values = lookUp ? valuesOf(filter, name) : [];
    return lookUp && values.length > 0
      ? [
          sql.join(
            values.map((value) => sql`(${lookUp({ orgIds, within: filter.within }, value)})`),
            sql` UNION ALL `,
          ),
        ]
      : [];
  });
  if (onAction.length > 0) queries.push(actionTags(orgIds, onAction));
  if (filter.routine === "without") queries.push(unroutineTags(orgIds));
  const found = await Promise.all(
    queries.map((tags) =>
      rowsOf<{ tag: string }>(tx, sql`SELECT DISTINCT v.tag FROM (${tags}) AS v(tag) LIMIT ${MAX_VALUES + 1}`),
    ),
  );
  return found.filter((rows) => rows.length <= MAX_VALUES).map((rows) => rows.map((row) => row.tag));
}

/** Sets of tags that the filter's values name; of excluded values those that are left, where all of them are known. */
function namedTags(filter: RowFilter): string[][] {
  return ROW_FILTERS.flatMap((name) => {
    const { choices }: Filter = FILTERS[name];
    const excluded = excludedOf(filter, name);
    const left = choices && excluded.length > 0 ? Object.keys(choices).filter((v) => !excluded.includes(v)) : null;
    const wanted = valuesOf(filter, name);
    return [wanted.length > 0 ? wanted : null, left].flatMap((values) =>
      (TAGS[name] ?? []).flatMap((tagsOf) => {
        const tags = values?.map(tagsOf);
        return tags?.every((one) => one !== null) ? [tags.flat()] : [];
      }),
    );
  });
}

/** What the text of a block has to hold, unless its tags say it. */
function eitherOf(filter: RowFilter): Either[] {
  const words = (filter.words ?? []).map((word) => ({ terms: spellingsOf(word), tags: tagsOfWord(word) }));
  const named = ROW_FILTERS.flatMap((name) => {
    const values = valuesOf(filter, name);
    const isHeld = IN_TEXT[name];
    return isHeld && values.length > 0 && values.every(isHeld) ? [{ terms: [...values], tags: [] }] : [];
  });
  return [
    ...words.filter(({ tags }) => tags.length <= MAX_VALUES),
    ...(filter.phrase ? [{ terms: [filter.phrase], tags: [] }] : []),
    ...named,
  ];
}

async function indexedThrough(tx: Tx, orgIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const query = sql`SELECT o.id, i.through::float8 AS through FROM ${layout().eachOf(orgIds)}, ${INDEXED_THROUGH}`;
  const rows = await rowsOf<{ id: string; through: number }>(tx, query);
  return new Map(rows.map(({ id, through }) => [id, through]));
}

/**
 * The probe of a filter; null when nothing in it narrows the blocks but the span, where the index by time serves.
 * A set of tags that is empty means that no indexed row matches.
 */
export async function probeOf(tx: Tx, orgIds: readonly string[], filter: RowFilter): Promise<IndexProbe | null> {
  if (!layout().isIndexed) return null;
  const { from, to } = filter;
  const routine = [ROUTINE_ACTIONS.map((action) => `action:${action}`), ["result:success"]];
  // Sent together: they are answered in this order.
  const [through, lookedUp] = await Promise.all([indexedThrough(tx, orgIds), lookedUpTags(tx, orgIds, filter)]);
  const tags = [...lookedUp, ...namedTags(filter), ...(filter.routine === "only" ? routine : [])];
  const any = eitherOf(filter);
  if (tags.length === 0 && any.length === 0) return null;
  return { tags, any, through, ...(from && { from: from.toISOString() }), ...(to && { to: to.toISOString() }) };
}

/** True when no block can hold a match. */
export const matchesNothing = (probe: IndexProbe): boolean => probe.tags.some((values) => values.length === 0);

/** True when the trigram index serves: some set of values, or terms long enough to have a trigram. */
export const isIndexed = ({ any, tags }: IndexProbe): boolean =>
  tags.length > 0 || any.some(({ terms }) => terms.every((term) => [...term].length >= MIN_INDEXED_TERM));
