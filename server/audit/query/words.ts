import { type SQL, sql } from "drizzle-orm";
import { textArray, uuids } from "@/db/arrays";
import { layout } from "@/db/citus/layout";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { sentenceWords } from "@/server/audit/action-label";
import { isAscii } from "@/server/audit/search/format";
import { ACTOR_TYPE_LABEL, ACTOR_TYPES, type ActorType, type AuditResult, RESULTS } from "@/server/audit/vocabulary";
import { containsPattern, inJson } from "@/server/ground/text";
import { INDEXED_THROUGH, rowsBetween } from "./rows";
import { termsOf } from "./values";

/**
 * A word or phrase that must occur in a stored field or in the text that the screen shows instead. The latter is looked
 * up: actions described with the word, by result, and actors with that name.
 */
export type Word = {
  text: string;
  /** Actions whose sentence contains the word. */
  matches: { result: AuditResult; actions: readonly string[] }[];
  types: readonly ActorType[];
  /** Ids of people, API keys and agents. */
  people: readonly string[];
  keys: readonly string[];
  agents: readonly string[];
};

const has = (text: string, word: string): boolean => text.toLowerCase().includes(word.toLowerCase());

/** Types of actors without a name, which are shown by type. */
export const actorTypesCalled = (text: string): ActorType[] =>
  ACTOR_TYPES.filter((type) => ACTOR_TYPE_LABEL[type].toLowerCase() === text.trim().toLowerCase());

/** Actions used in some organizations: from the index, and from unindexed rows. */
async function actionsOf(tx: Tx, orgIds: readonly string[]): Promise<string[]> {
  if (!layout().isIndexed) {
    const all = sql`SELECT DISTINCT a.action FROM audit_logs a WHERE a.org_id = ANY (${uuids(orgIds)})`;
    return (await rowsOf<{ action: string }>(tx, all)).map((row) => row.action);
  }
  const rows = await rowsOf<{ action: string }>(
    tx,
    sql`SELECT unnest(s.actions) AS action FROM audit_segments s WHERE s.org_id = ANY (${uuids(orgIds)})
      UNION SELECT a.action FROM ${layout().eachOf(orgIds)}, ${INDEXED_THROUGH}, ${rowsBetween(sql`i.through`)}`,
  );
  return rows.map((row) => row.action);
}

/**
 * Organizations for name look-ups by the platform's operator, to whom row-level security shows all. Undefined if
 * row-level security alone decides, or the operator asks for all.
 */
export type Within = readonly string[] | undefined;

/** The condition that devices `d` belong to the given organizations. */
export const devicesWithin = (within: Within): SQL => (within ? sql`d.org_id = ANY (${uuids(within)})` : sql`true`);

/** Limits people or keys to those who can act there: own, partners' and the operator's. */
export function actorsWithin(table: "u" | "k", within: Within): SQL {
  if (!within) return sql`true`;
  const [orgId, partnerId] = [sql.raw(`${table}.org_id`), sql.raw(`${table}.partner_id`)];
  const partners = sql`ARRAY(SELECT r.partner_id FROM organizations r WHERE r.id = ANY (${uuids(within)}))`;
  return sql`(${orgId} = ANY (${uuids(within)})
    OR (${orgId} IS NULL AND (${partnerId} IS NULL OR ${partnerId} = ANY (${partners}))))`;
}

/** True if an expression contains a text, in any case and any Unicode normal form. */
export const hasText = (expression: SQL, text: string): SQL =>
  isAscii(text)
    ? sql`${expression} ILIKE ${containsPattern(text)}`
    : sql`normalize(${expression}) ILIKE ${containsPattern(text.normalize("NFC"))}`;

type Named = { n: number; kind: "people" | "keys" | "agents"; id: string };

/** People, keys or devices whose name contains one of the texts. */
const namedBy = (tx: Tx, within: Within, texts: readonly string[]): Promise<Named[]> =>
  rowsOf(
    tx,
    sql.join(
      texts.map((text, at) => {
        const has = (column: string) => hasText(sql.raw(column), text);
        return sql`SELECT ${at}::int AS n, 'people' AS kind, u.id::text AS id FROM users u
            WHERE (${has("u.name")} OR ${has("u.email")}) AND ${actorsWithin("u", within)}
          UNION ALL SELECT ${at}, 'keys', k.id::text FROM api_keys k WHERE ${has("k.name")} AND ${actorsWithin("k", within)}
          UNION ALL SELECT ${at}, 'agents', g.actor_id FROM devices d JOIN agents g ON g.device_id = d.id
            WHERE ${has("d.hostname")} AND ${devicesWithin(within)}`;
      }),
      sql` UNION ALL `,
    ),
  );

/** Alternatives of a search term; an entry must contain one. */
export type Term = readonly Word[];

/** Looks up actions and actors that the words of some texts may mean. */
export async function resolveTerms(
  tx: Tx,
  { orgIds, within }: { orgIds: readonly string[]; within: Within },
  texts: readonly string[],
): Promise<Term[]> {
  const terms = texts.flatMap(termsOf);
  const words = terms.flat();
  if (words.length === 0) return [];
  const [actions, named] = await Promise.all([actionsOf(tx, orgIds), namedBy(tx, within, words)]);
  const resolved = words.map((text, at): Word => {
    const idsOf = (kind: Named["kind"]) => named.filter((one) => one.n === at && one.kind === kind).map(({ id }) => id);
    const matches = RESULTS.map((result) => {
      return { result, actions: actions.filter((action) => has(sentenceWords(action, result), text)) };
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
  return terms.map((choices) => resolved.splice(0, choices.length));
}

const FIELDS = ["action", "resource_type", "actor_email", "resource_name", "ip_address", "error_message"];

/** Conditions on rows `a` for the looked-up meanings of a word. */
function meaningsOf({ matches, types }: Word): SQL[] {
  const conditions = matches.map(
    (one) => sql`(a.result = ${one.result} AND a.action = ANY (${textArray(one.actions)}))`,
  );
  return types.length > 0 ? [...conditions, sql`a.actor_type = ANY (${textArray(types)})`] : conditions;
}

/** Forms of a word in a row: plain, and JSON-escaped in the details. */
export const spellingsOf = ({ text }: Word): string[] => [...new Set([text, inJson(text)])];

/** True for rows `a` in which an alternative of the term occurs. */
export const holdsTerm = (term: Term): SQL => sql`(${sql.join(term.map(holdsWord), sql` OR `)})`;

/** True for rows `a` by an agent with one of the ids. */
export const isAgent = (ids: SQL): SQL =>
  sql`(a.actor_type = 'agent' AND (a.actor_id::text = ANY (${ids}) OR a.details ->> 'rawActorId' = ANY (${ids})))`;

/** True for rows `a` in which a word occurs. */
function holdsWord(word: Word): SQL {
  const { text, people, keys, agents } = word;
  // Cheapest first: the first true one decides, and the text of the details costs most.
  const conditions = meaningsOf(word);
  const isActor = (type: ActorType, ids: readonly string[]) =>
    sql`(a.actor_type = ${type} AND a.actor_id = ANY (${uuids(ids)}))`;
  if (people.length > 0) conditions.push(isActor("user", people));
  if (keys.length > 0) conditions.push(isActor("api_key", keys));
  if (agents.length > 0) conditions.push(isAgent(textArray(agents)));
  conditions.push(
    ...FIELDS.map((field) => hasText(sql.raw(`a.${field}`), text)),
    ...spellingsOf(word).map((one) => hasText(sql`a.details::text`, one)),
  );
  return sql`(${sql.join(conditions, sql` OR `)})`;
}
