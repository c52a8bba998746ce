import { type SQL, sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { GAP_SHOWN_MS } from "@/server/notify/vocabulary";
import { type Check, type Finding, type KindDefinition, number } from "./definition";

const PAGE = "/?action=stream.&orgId=";

/** Streams `s` that meet a condition, at their organization or their partner's home. */
const streamsWhere = async (where: SQL): Promise<Finding> => {
  const rows = await asSystem((tx) =>
    rowsOf<{ orgId: string; names: string[]; ids: string[] }>(
      tx,
      sql`SELECT o.id AS "orgId", array_agg(s.name ORDER BY s.name, s.id) AS names,
          array_agg(s.id ORDER BY s.name, s.id) AS ids
        FROM data_streams s
        JOIN organizations o ON o.id = s.org_id OR (s.org_id IS NULL AND o.partner_id = s.partner_id AND o.is_home)
        WHERE ${where} GROUP BY o.id`,
    ),
  );
  const found = rows.map(({ orgId, names, ids }) => ({ orgId, holds: true, detail: { names, ids } }));
  return { checked: "all", found };
};

/** Entries that streams will never deliver, by organization. */
const checkGaps: Check = async (now) => {
  const since = new Date(now.getTime() - GAP_SHOWN_MS).toISOString();
  const rows = await asSystem((tx) =>
    rowsOf<{ orgId: string; count: number; names: string[] }>(
      tx,
      sql`SELECT g.org_id AS "orgId", sum(g.last_seq - g.first_seq + 1)::float8 AS count,
          array_agg(DISTINCT s.name ORDER BY s.name) AS names
        FROM stream_gaps g JOIN data_streams s ON s.id = g.stream_id
        WHERE g.created_at > ${since}::timestamptz GROUP BY 1`,
    ),
  );
  const found = rows.map(({ orgId, count, names }) => ({ orgId, holds: true, detail: { count, names } }));
  return { checked: "all", found };
};

const streams = (names: readonly string[] = []): string =>
  `data stream${names.length === 1 ? "" : "s"} ${names.join(", ")}`;

export const streamKinds = {
  "stream.failing": {
    page: PAGE,
    check: () => streamsWhere(sql`s.state = 'failing'`),
    raised: (org, { names }) =>
      `Entries have not reached the receiver of the ${streams(names)} of ${org}. They are tried again.`,
    resolved: (org) => `No data stream of ${org} fails.`,
  },
  "stream.blocked": {
    page: PAGE,
    check: () => streamsWhere(sql`s.state IN ('blocked', 'disabled')`),
    raised: (org, { names }) =>
      `A person is needed for the ${streams(names)} of ${org}: the receiver refuses it. Entries wait in the log.`,
    resolved: (org) => `No data stream of ${org} waits for a person.`,
  },
  "stream.gap": {
    page: PAGE,
    check: checkGaps,
    raised: (org, { count = 0, names }) =>
      `${number(count)} ${count === 1 ? "entry" : "entries"} of ${org} will never reach the receiver of the ${streams(names)}: retention removed them first, or the receiver refused them.`,
    resolved: (org) => `No gap was found in the data streams of ${org} within the last 7 days.`,
  },
} satisfies Record<string, KindDefinition>;
