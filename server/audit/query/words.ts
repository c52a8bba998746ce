import { type SQL, sql } from "drizzle-orm";
import { textArray, uuids } from "@/db/arrays";
import { layout } from "@/db/citus/layout";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { sentenceWords } from "@/server/audit/action-label";
import { ACTOR_TYPE_LABEL, ACTOR_TYPES, type ActorType, type AuditResult, RESULTS } from "@/server/audit/vocabulary";
import { containsPattern, inJson } from "@/server/ground/text";
import { INDEXED_THROUGH, rowsBetween } from "./rows";
import { wordsOf } from "./values";

/**
 * A word or phrase that an entry has to hold: in a stored field, or in what the screen says instead of one. That was
 * looked up: the actions that are described with the word, by result, and the actors that are called so.
 */
export type Word = {
  text: string;
  /** Actions whose sentence has the word; every means all that the organizations have. */
  matches: { result: AuditResult; actions: readonly string[]; every: boolean }[];
  types: readonly ActorType[];
  /** Ids of people, API keys and agents. */
  people: readonly string[];
  keys: readonly string[];
  agents: readonly string[];
};

const has = (text: string, word: string): boolean => text.toLowerCase().includes(word.toLowerCase());

/** Actors without a name, which are called by their type. */
export const actorTypesCalled = (text: string): ActorType[] =>
  ACTOR_TYPES.filter((type) => ACTOR_TYPE_LABEL[type].toLowerCase() === text.trim().toLowerCase());

/** The actions that some organizations have: those of the index, and of rows that it has not come to. */
async function actionsOf(tx: Tx, orgIds: readonly string[]): Promise<string[]> {
  if (!layout().isIndexed) {
    const all = sql`SELECT DISTINCT a.action FROM audit_logs a WHERE a.org_id = ANY (${uuids(orgIds)})`;
    return (await rowsOf<{ action: string }>(tx, all)).map((row) => row.action);
  }
  const rows = await rowsOf<{ action: string }>(
    tx,
    sql`SELECT value AS action FROM audit_search_terms WHERE org_id = ANY (${uuids(orgIds)}) AND kind = 'action'
      UNION SELECT a.action FROM ${layout().eachOf(orgIds)}, ${INDEXED_THROUGH}, ${rowsBetween(sql`i.through`)}`,
  );
  return rows.map((row) => row.action);
}

/**
 * The organizations in which names are looked up: those that the platform's operator asks for, whom row level security
 * shows everyone's. Undefined where it decides alone, and where the operator asks for all.
 */
export type Within = readonly string[] | undefined;

/** The condition on devices `d` that they belong to such organizations. */
export const devicesWithin = (within: Within): SQL => (within ? sql`d.org_id = ANY (${uuids(within)})` : sql`true`);

/** The condition on people or keys that they can act there: theirs, their partners' and the platform's operators. */
export function actorsWithin(table: "u" | "k", within: Within): SQL {
  if (!within) return sql`true`;
  const [orgId, partnerId] = [sql.raw(`${table}.org_id`), sql.raw(`${table}.partner_id`)];
  const partners = sql`ARRAY(SELECT r.partner_id FROM organizations r WHERE r.id = ANY (${uuids(within)}))`;
  return sql`(${orgId} = ANY (${uuids(within)})
    OR (${orgId} IS NULL AND (${partnerId} IS NULL OR ${partnerId} = ANY (${partners}))))`;
}

type Named = { n: number; kind: "people" | "keys" | "agents"; id: string };

/** Whose name, or whose device's, holds which of some texts. */
const namedBy = (tx: Tx, within: Within, texts: readonly string[]): Promise<Named[]> =>
  rowsOf(
    tx,
    sql`WITH w AS (SELECT * FROM unnest(${textArray(texts.map(containsPattern))}) WITH ORDINALITY AS w(pattern, n))
      SELECT w.n::int AS n, 'people' AS kind, u.id::text AS id FROM w JOIN users u ON u.name ILIKE w.pattern OR u.email ILIKE w.pattern
        WHERE ${actorsWithin("u", within)}
      UNION ALL SELECT w.n::int, 'keys', k.id::text FROM w JOIN api_keys k ON k.name ILIKE w.pattern WHERE ${actorsWithin("k", within)}
      UNION ALL SELECT w.n::int, 'agents', g.actor_id FROM w JOIN devices d ON d.hostname ILIKE w.pattern JOIN agents g ON g.device_id = d.id
        WHERE ${devicesWithin(within)}`,
  );

/** Looks up what the words of some texts mean besides their letters. */
export async function resolveWords(
  tx: Tx,
  { orgIds, within }: { orgIds: readonly string[]; within: Within },
  texts: readonly string[],
): Promise<Word[]> {
  const words = texts.flatMap(wordsOf);
  if (words.length === 0) return [];
  const [actions, named] = await Promise.all([actionsOf(tx, orgIds), namedBy(tx, within, words)]);
  return words.map((text, at) => {
    const idsOf = (kind: Named["kind"]) =>
      named.filter((one) => one.n === at + 1 && one.kind === kind).map(({ id }) => id);
    const matches = RESULTS.map((result) => {
      const matching = actions.filter((action) => has(sentenceWords(action, result), text));
      return { result, actions: matching, every: matching.length === actions.length };
    });
    return {
      text,
      matches: matches.filter((one) => one.actions.length > 0),
      types: ACTOR_TYPES.filter((type) => has(ACTOR_TYPE_LABEL[type], text)),
      people: idsOf("people"),
      keys: idsOf("keys"),
      agents: idsOf("agents"),
    };
  });
}

const KIND_FIELDS = ["action", "resource_type"];
const FIELDS = [...KIND_FIELDS, "actor_email", "resource_name", "ip_address", "error_message"];

/** The conditions on what rows `a` are by which a word occurs besides its letters. */
function meaningsOf({ matches, types }: Word): SQL[] {
  const conditions = matches.map(
    (one) => sql`(a.result = ${one.result} AND a.action = ANY (${textArray(one.actions)}))`,
  );
  return types.length > 0 ? [...conditions, sql`a.actor_type = ANY (${textArray(types)})`] : conditions;
}

/** How a word may be written in a row: as it stands, and as the JSON of the details has it. */
export const spellingsOf = ({ text }: Word): string[] => [...new Set([text, inJson(text)])];

const holdsIn = (fields: readonly string[], text: string): SQL[] =>
  fields.map((field) => sql`${sql.raw(`a.${field}`)} ILIKE ${containsPattern(text)}`);

/** A text, and the condition that what a row is holds it already. */
export type Text = { text: string; inKind: SQL };

/** The condition that a text occurs in what rows `a` are: action, resource type. */
export const kindHolds = (text: string): SQL => sql`(${sql.join(holdsIn(KIND_FIELDS, text), sql` OR `)})`;

/** The same of a word, by its letters or what they mean. */
export const kindHoldsWord = (word: Word): SQL =>
  sql`(${sql.join([...meaningsOf(word), kindHolds(word.text)], sql` OR `)})`;

/** The condition on rows `a` that a word occurs. */
export function holdsWord(word: Word): SQL {
  const { text, people, keys, agents } = word;
  // Cheap ones first: a row is decided by the first that holds, and the text of the details costs most.
  const conditions = meaningsOf(word);
  const isActor = (type: ActorType, ids: readonly string[]) =>
    sql`(a.actor_type = ${type} AND a.actor_id = ANY (${uuids(ids)}))`;
  if (people.length > 0) conditions.push(isActor("user", people));
  if (keys.length > 0) conditions.push(isActor("api_key", keys));
  if (agents.length > 0)
    conditions.push(
      sql`(a.actor_type = 'agent' AND (a.actor_id::text = ANY (${textArray(agents)}) OR a.details ->> 'rawActorId' = ANY (${textArray(agents)})))`,
    );
  conditions.push(...holdsIn(FIELDS, text), ...spellingsOf(word).flatMap((one) => holdsIn(["details::text"], one)));
  return sql`(${sql.join(conditions, sql` OR `)})`;
}

/** The tags that rows carry which a word means by other than its letters. */
export const tagsOfWord = ({ matches, types, people, keys, agents }: Word): string[] => [
  ...matches.flatMap(({ result, actions, every }) =>
    every ? [`result:${result}`] : actions.map((action) => `action:${action}`),
  ),
  ...types.map((type) => `type:${type}`),
  ...[...people, ...keys, ...agents].map((id) => `actor:${id}`),
];

/** True when a word names no actor: then a block's own text and the kinds of its rows show where it is. */
export const namesNobody = ({ people, keys, agents }: Word): boolean =>
  people.length + keys.length + agents.length === 0;
