import { sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { containsPattern } from "../text";
import { actionConditions, namedPeople, type Question } from "./filters";
import { allOf } from "./row-query";
import { MIN_INDEXED_TERM } from "./schema";

/**
 * What a block of rows must have to be able to hold a match (db: audit_search_clause): each of the terms in its text, one
 * of each set of values among its tags, a row of the span.
 */
export type Needle = { terms: string[]; tags: string[][]; from?: string; to?: string };

/** More values than this narrow nothing and cost a look-up each. */
const MAX_VALUES = 1_000;

/** The distinct actions of some organizations that meet the question's conditions on the action. */
async function matchingActions(tx: Tx, orgIds: readonly string[], question: Question): Promise<string[]> {
  const rows = (await tx.execute(sql`
    SELECT DISTINCT a.action FROM (
      SELECT t.value AS action FROM audit_search_terms t WHERE t.org_id = ANY (${sql.param([...orgIds])}::uuid[]) AND t.kind = 'action'
    ) a WHERE ${allOf(actionConditions(question))} LIMIT ${MAX_VALUES + 1}`)) as unknown as { action: string }[];
  return rows.map((row) => row.action);
}

/** The addresses and people that a user filter means. */
async function matchingActors(tx: Tx, orgIds: readonly string[], user: string): Promise<string[]> {
  const rows = (await tx.execute(sql`
    SELECT DISTINCT 'email:' || t.value AS tag FROM audit_search_terms t
    WHERE t.org_id = ANY (${sql.param([...orgIds])}::uuid[]) AND t.kind = 'email' AND t.value ILIKE ${containsPattern(user)}
    UNION ALL SELECT 'actor:' || n.id FROM (${namedPeople(user)}) n
    LIMIT ${MAX_VALUES + 1}`)) as unknown as { tag: string }[];
  return rows.map((row) => row.tag);
}

/**
 * The needle of a question; null when nothing in it narrows the blocks but the span, where the index by time serves.
 * A set of tags that is empty means that no indexed row matches.
 */
export async function needleOf(tx: Tx, orgIds: readonly string[], question: Question): Promise<Needle | null> {
  const { q, resource, user, from, to, actorType, result, actorId, resourceId, rawActorId } = question;
  const tags: string[][] = [];
  if (actionConditions(question).length > 0) {
    const found = await matchingActions(tx, orgIds, question);
    if (found.length <= MAX_VALUES) tags.push(found.map((action) => `action:${action}`));
  }
  if (user) {
    const found = await matchingActors(tx, orgIds, user);
    if (found.length <= MAX_VALUES) tags.push(found);
  }
  if (actorType) tags.push([`type:${actorType}`]);
  if (result) tags.push([`result:${result}`]);
  if (actorId) tags.push([`actor:${actorId.toLowerCase()}`]);
  if (resourceId) tags.push([`resource:${resourceId.toLowerCase()}`]);
  // An id that JSON escapes stands otherwise in the details' text.
  const rawId = rawActorId && /^[\w .:-]+$/.test(rawActorId) ? rawActorId : undefined;
  const terms = [q, resource, rawId].filter((term): term is string => Boolean(term));
  if (tags.length === 0 && terms.length === 0) return null;
  return { terms, tags, ...(from && { from: from.toISOString() }), ...(to && { to: to.toISOString() }) };
}

/** True when no block can hold a match. */
export const isHopeless = (needle: Needle): boolean => needle.tags.some((values) => values.length === 0);

/** True when the trigram index serves: some set of values, or a term long enough to have a trigram. */
export const isIndexed = ({ terms, tags }: Needle): boolean =>
  tags.length > 0 || terms.some((term) => [...term].length >= MIN_INDEXED_TERM);
