import { sql } from "drizzle-orm";
import { layout } from "@/db/citus/layout";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { categoryOf } from "@/server/audit/actions";
import { CLASS, type Class } from "@/server/audit/search/format";
import { and, holds, is, narrows, not, or, perhaps, type Query, where } from "@/server/audit/search/match";
import { ROUTINE_ACTIONS } from "@/server/audit/vocabulary";
import { GUID, inJson } from "@/server/ground/text";
import {
  agentsCalled,
  agentsOn,
  excludedOf,
  namedDevices,
  namedKeys,
  namedPeople,
  ROW_FILTERS,
  type RowFilter,
  type RowFilterName,
  valuesOf,
} from "./conditions";
import { beginningsOf, isInNetwork, networkOf, plainAddress } from "./values";
import { actorTypesCalled, spellingsOf, type Term, type Within, type Word } from "./words";

/** Ids by kind; null if too many to narrow the search. */
type Ids = Record<"people" | "keys" | "agents" | "devices", string[]> | null;
const MOST_IDS = 1_000;
const NO_IDS = { people: [], keys: [], agents: [], devices: [] };

/** Looks up the ids behind a filter's text, by names within some organizations. */
const LOOKED_UP: Partial<Record<RowFilterName, (text: string, within: Within) => ReturnType<typeof sql>>> = {
  user: (text, within) => sql`SELECT 'people' AS kind, n.id::text AS id FROM (${namedPeople(text, within)}) n
    UNION ALL SELECT 'keys', n.id::text FROM (${namedKeys(text, within)}) n
    UNION ALL SELECT 'agents', n.id FROM (${agentsCalled(text, within)}) n`,
  device: (text, within) => sql`SELECT 'devices' AS kind, n.id::text AS id FROM (${namedDevices(text, within)}) n
    UNION ALL SELECT 'agents', n.id FROM (${agentsOn(text, within)}) n`,
};

async function idsOf(tx: Tx, name: RowFilterName, { text, within }: { text: string; within: Within }): Promise<Ids> {
  const query = LOOKED_UP[name]?.(text, within);
  if (!query) return NO_IDS;
  const rows = await rowsOf<{ kind: keyof typeof NO_IDS; id: string }>(
    tx,
    sql`SELECT * FROM (${query}) i LIMIT ${MOST_IDS + 1}`,
  );
  if (rows.length > MOST_IDS) return null;
  const of = (kind: keyof typeof NO_IDS) => rows.filter((row) => row.kind === kind).map(({ id }) => id);
  return { people: of("people"), keys: of("keys"), agents: of("agents"), devices: of("devices") };
}

const { action, result, actorType, actorId, rawActorId, email, resourceType, resourceId, resourceName } = CLASS;
const { address, detail, error } = CLASS;

const inDetails = (text: string): Query => holds(inJson(text), { whole: [], words: [detail] });
const isActor = (type: string, ids: readonly string[]): Query => and(is(actorType, [type]), is(actorId, ids));
const isAgent = (ids: readonly string[]): Query =>
  and(is(actorType, ["agent"]), or(is(actorId, ids), is(rawActorId, ids)));
const byIds = ({ people, keys, agents }: Pick<Word, "people" | "keys" | "agents">): Query =>
  or(isActor("user", people), isActor("api_key", keys), isAgent(agents));

const IS_SUBMITTED = is(CLASS.submitted, [""]);

/** Addresses other than plain IPv4 are left to the database. */
function isAt(ip: string): Query {
  const network = networkOf(ip);
  const plain = plainAddress(ip);
  const [fits, given] = network
    ? [(value: string) => isInNetwork(value, network), []]
    : [(value: string) => plainAddress(value) === plain, [ip, plain ?? ip]];
  if (!network && !plain) return where(address, (value) => beginningsOf(ip).some((one) => value.startsWith(one)));
  return or(
    is(address, given),
    where(address, (value) => !value.includes(":") && fits(value)),
    perhaps(where(address, (value) => value.includes(":") && fits(value))),
  );
}

/** A device by its name then, its name now, or as the host of an agent. */
function involvesDevice(text: string, ids: Ids): Query {
  if (!ids) return perhaps();
  return or(
    and(is(resourceType, ["device"]), holds(text, { whole: [resourceName], words: [] })),
    is(resourceId, ids.devices),
    perhaps(or(inDetails(text), ...ids.devices.map(inDetails))),
    isAgent(ids.agents),
  );
}

const among = (kind: Class) => (value: string) => is(kind, [value]);

/** Index query of each filter's value, equivalent to CONDITIONS in conditions.ts. */
const QUERIES: Record<RowFilterName, (value: string, ids: Ids) => Query> = {
  actorType: among(actorType),
  result: among(result),
  actions: among(action),
  action: (text) => holds(text, { whole: [action], words: [] }),
  category: (category) => where(action, (value) => categoryOf(value) === category),
  actorId: (id) => (GUID.test(id) ? is(actorId, [id.toLowerCase()]) : is(rawActorId, [id])),
  rawActorId: among(rawActorId),
  user: (text, ids) =>
    ids ? or(holds(text, { whole: [email], words: [] }), byIds(ids), is(actorType, actorTypesCalled(text))) : perhaps(),
  ip: isAt,
  resourceId: (id) => is(resourceId, [id.toLowerCase()]),
  resourceType: among(resourceType),
  session: (id) => perhaps(inDetails(id)),
  submitted: (value) => (value === "true" ? IS_SUBMITTED : not(IS_SUBMITTED)),
  resource: (text) => holds(text, { whole: [resourceType, resourceName], words: [] }),
  device: involvesDevice,
  orgId: () => perhaps(),
  new: () => perhaps(),
};

const hasWord = (word: Word): Query =>
  or(
    ...word.matches.map((one) => and(is(result, [one.result]), is(action, one.actions))),
    is(actorType, word.types),
    byIds(word),
    holds(word.text, { whole: [action, resourceType, email, resourceName, address], words: [error] }),
    ...spellingsOf(word).map((text) => holds(text, { whole: [], words: [detail] })),
  );

const hasTerm = (term: Term): Query => or(...term.map(hasWord));

const IS_ROUTINE = and(is(action, ROUTINE_ACTIONS), is(result, ["success"]));

/** Queries for words, phrase and routine. */
function textQueries({ words = [], withoutWords = [], phrase, routine }: RowFilter): Query[] {
  const fields = { whole: [action, email, resourceType, resourceName], words: [detail] };
  return [
    ...words.map(hasTerm),
    ...withoutWords.map((term) => not(hasTerm(term))),
    ...(phrase ? [holds(phrase, fields)] : []),
    ...(routine ? [routine === "only" ? IS_ROUTINE : not(IS_ROUTINE)] : []),
  ];
}

/** Index query of a filter without its time; null if it would not narrow the rows. */
export async function toQuery(tx: Tx, filter: RowFilter): Promise<Query | null> {
  if (!layout().isIndexed) return null;
  const { within } = filter;
  const anyOf = async (name: RowFilterName, values: readonly string[]): Promise<Query[]> => {
    if (values.length === 0) return [];
    const each = values.map(async (text) => QUERIES[name](text, await idsOf(tx, name, { text, within })));
    return [or(...(await Promise.all(each)))];
  };
  const parts = await Promise.all(
    ROW_FILTERS.flatMap((name) => [
      anyOf(name, valuesOf(filter, name)),
      anyOf(name, excludedOf(filter, name)).then((unwanted) => unwanted.map(not)),
    ]),
  );
  const query = and(...parts.flat(), ...textQueries(filter));
  return narrows(query) ? query : null;
}
