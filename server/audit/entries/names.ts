import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { textArray, uuids } from "@/db/arrays";
import { tenant } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { nearness } from "@/server/audit/query/nearness";
import { withinOf } from "@/server/audit/query/plan";
import { reachedBy } from "@/server/audit/query/rows";
import { actorsWithin, devicesWithin } from "@/server/audit/query/words";
import { type KnownName, NAME_KINDS, type NameKind } from "@/server/audit/vocabulary";
import { operation } from "@/server/ground/operation";
import { MAX_FILTER_LENGTH } from "@/server/ground/text";

const MAX_NAMES = 50;
/** Names of one kind compared with a mistyped word. */
const MAX_COMPARED = 20_000;
/** Maximum of mistyped words per request: comparing ten with all these names takes a quarter second of CPU. */
const MAX_MISTYPED = 10;

const knownName = z.strictObject({
  kind: z.enum(NAME_KINDS),
  id: z.string(),
  name: z.string(),
  called: z.array(z.string()),
}) satisfies z.ZodType<KnownName>;
const namesInput = z.object({
  /** Words of a search, in any case. */
  words: z.array(z.string().min(1).max(MAX_FILTER_LENGTH)).max(100),
  /** Finds names close to one of the first ten words instead of exact ones. */
  isNear: z.boolean().default(false),
});
type Row = { kind: NameKind; name: string; email: string | null; id: string };

/** Terms that name a person, key, device or organization: its name, parts of it, and the local part of an address. */
const calledBy = ({ kind, name, email }: Row): string[] =>
  [
    name,
    ...(kind === "device" ? [] : name.split(/\s+/)),
    ...(email ? [email, email.slice(0, email.lastIndexOf("@"))] : []),
  ].map((one) => one.toLowerCase());

/**
 * People, API keys, devices and organizations in the caller's reach named by the words of a search.
 * @returns at most 50 of each kind
 */
export const findNames = operation({
  permission: "audit:read",
  input: namesInput,
  output: z.strictObject({ names: z.array(knownName) }),
  async run({ scope }, { words, isNear }) {
    const typed = [...new Set(words.map((word) => word.toLowerCase()))].slice(0, isNear ? MAX_MISTYPED : undefined);
    const within = withinOf(scope);
    const isAny = (texts: SQL) => (isNear ? sql`true` : sql`${texts} && ${textArray(typed)}`);
    const wordsOf = (column: SQL) => sql`regexp_split_to_array(lower(${column}), '\\s+')`;
    const rows = await tenant(scope, async (tx) => {
      const orgIds = await reachedBy(tx, scope);
      return rowsOf<Row>(
        tx,
        sql`(SELECT 'actor' AS kind, u.name, u.email, u.id::text AS id FROM users u
            WHERE ${isAny(sql`(${wordsOf(sql`u.name`)} || ARRAY[lower(u.email), split_part(lower(u.email), '@', 1)])`)}
              AND ${actorsWithin("u", within)} LIMIT ${MAX_COMPARED})
          UNION ALL (SELECT 'actor', k.name, NULL, k.id::text FROM api_keys k
            WHERE ${isAny(wordsOf(sql`k.name`))} AND ${actorsWithin("k", within)} LIMIT ${MAX_COMPARED})
          UNION ALL (SELECT 'device', d.hostname, NULL, d.id::text FROM devices d
            WHERE ${isNear ? sql`true` : sql`lower(d.hostname) = ANY (${textArray(typed)})`}
              AND ${devicesWithin(within)} LIMIT ${MAX_COMPARED})
          UNION ALL (SELECT 'organization', o.name, NULL, o.id::text FROM organizations o
            WHERE o.id = ANY (${uuids(orgIds)}) AND ${isAny(wordsOf(sql`o.name`))} LIMIT ${MAX_COMPARED})`,
      );
    });
    const known = rows.map((row): KnownName => ({ kind: row.kind, id: row.id, name: row.name, called: calledBy(row) }));
    const isMeant = ({ called }: KnownName) =>
      !isNear || called.some((one) => typed.some((word) => nearness(word, one) !== null));
    const ofKind = (kind: NameKind) => known.filter((one) => one.kind === kind && isMeant(one)).slice(0, MAX_NAMES);
    return { names: NAME_KINDS.flatMap(ofKind) };
  },
});
