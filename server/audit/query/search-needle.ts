import { type SQL, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { ACTOR_TYPES, MIN_INDEXED_TERM, RESULTS } from "@/server/audit/vocabulary";
import { containsPattern } from "@/server/text";
import {
  actionConditions,
  agentsOn,
  excluded,
  isWholeAddress,
  namedDevices,
  namedPeople,
  type Question,
} from "./filters";
import { allOf } from "./row-query";

/**
 * What a block of rows must have to be able to hold a match (db: audit_search_clause): each of the terms in its text, one
 * of each set of values among its tags, a row of the span.
 */
export type Needle = { terms: string[]; tags: string[][]; from?: string; to?: string };

/** More values than this narrow nothing and cost a look-up each. */
const MAX_VALUES = 1_000;

async function tagsOf(tx: Tx, values: SQL): Promise<string[]> {
  const rows = (await tx.execute(
    sql`SELECT DISTINCT v.tag FROM (${values}) AS v(tag) LIMIT ${MAX_VALUES + 1}`,
  )) as unknown as {
    tag: string;
  }[];
  return rows.map((row) => row.tag);
}

type Kind = "action" | "email" | "device";

/** Values of a kind that some organizations have, as rows `t(value)`. */
const termsOf = (orgIds: readonly string[], kind: Kind): SQL =>
  sql`(SELECT value FROM audit_search_terms WHERE org_id = ANY (${sql.param([...orgIds])}::uuid[]) AND kind = ${kind}) t`;

/** The actions that meet the question's conditions on the action. */
const actionTags = (orgIds: readonly string[], question: Question): SQL =>
  sql`SELECT 'action:' || a.action FROM (SELECT t.value AS action FROM ${termsOf(orgIds, "action")}) a
    WHERE ${allOf(actionConditions(question))}`;

/** The addresses and people that a user filter means. */
const userTags = (orgIds: readonly string[], user: string): SQL =>
  sql`SELECT 'email:' || t.value FROM ${termsOf(orgIds, "email")} WHERE t.value ILIKE ${containsPattern(user)}
    UNION ALL SELECT 'actor:' || n.id FROM (${namedPeople(user)}) n`;

/** Devices by what they were called at the time, by what they are called now, and as where an agent runs. */
const deviceTags = (orgIds: readonly string[], device: string): SQL =>
  sql`SELECT 'device:' || t.value FROM ${termsOf(orgIds, "device")} WHERE t.value ILIKE ${containsPattern(device)}
    UNION ALL SELECT 'resource:' || n.id FROM (${namedDevices(device)}) n
    UNION ALL SELECT 'actor:' || n.id FROM (${agentsOn(device)}) n`;

/** Sets of tags that have to be looked up; one with more values than narrow anything is left out. */
async function lookedUp(tx: Tx, orgIds: readonly string[], question: Question): Promise<string[][]> {
  const { user, device } = question;
  const asked: SQL[] = [];
  if (actionConditions(question).length > 0) asked.push(actionTags(orgIds, question));
  if (user) asked.push(userTags(orgIds, user));
  if (device) asked.push(deviceTags(orgIds, device));
  const found = await Promise.all(asked.map((values) => tagsOf(tx, values)));
  return found.filter((tags) => tags.length <= MAX_VALUES);
}

/** Tags that the question names itself. */
function named(question: Question): string[][] {
  const { actorType, result, actorId, rawActorId, resourceId, resourceType, ip } = question;
  const left = <T extends string>(values: readonly T[], without: string[]) =>
    without.length > 0 ? values.filter((value) => !without.includes(value)) : null;
  const sets: [string, readonly (string | undefined)[] | null][] = [
    ["type", [actorType]],
    ["type", left(ACTOR_TYPES, excluded(question, "actorType"))],
    ["result", [result]],
    ["result", left(RESULTS, excluded(question, "result"))],
    ["actor", [actorId?.toLowerCase()]],
    ["actor", [rawActorId]],
    ["resource", [resourceId?.toLowerCase()]],
    ["kind", [resourceType]],
    ["ip", [ip && isWholeAddress(ip) ? ip : undefined]],
    ["net", [/^[^.:]*[.:][^.:]*[.:]/.exec(ip ?? "")?.[0]]],
  ];
  return sets
    .filter(([, values]) => values && !values.includes(undefined))
    .map(([kind, values]) => (values ?? []).map((value) => `${kind}:${value}`));
}

/**
 * The needle of a question; null when nothing in it narrows the blocks but the span, where the index by time serves.
 * A set of tags that is empty means that no indexed row matches.
 */
export async function needleOf(tx: Tx, orgIds: readonly string[], question: Question): Promise<Needle | null> {
  const { q, resource, from, to } = question;
  const tags = [...(await lookedUp(tx, orgIds, question)), ...named(question)];
  const terms = [q, resource].filter((term): term is string => Boolean(term));
  if (tags.length === 0 && terms.length === 0) return null;
  return { terms, tags, ...(from && { from: from.toISOString() }), ...(to && { to: to.toISOString() }) };
}

/** True when no block can hold a match. */
export const isHopeless = (needle: Needle): boolean => needle.tags.some((values) => values.length === 0);

/** True when the trigram index serves: some set of values, or a term long enough to have a trigram. */
export const isIndexed = ({ terms, tags }: Needle): boolean =>
  tags.length > 0 || terms.some((term) => [...term].length >= MIN_INDEXED_TERM);
