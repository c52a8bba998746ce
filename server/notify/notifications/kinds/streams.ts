import { sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { dataStreams } from "@/db/schema";
import { GAP_SHOWN_MS } from "@/server/notify/vocabulary";
import { type Check, holding, holdingOwned, type KindDefinition, number } from "./definition";

const PAGE = "/?action=stream.&orgId=";

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
  return holding(rows);
};

const streams = (names: readonly string[] = []): string =>
  `data stream${names.length === 1 ? "" : "s"} ${names.join(", ")}`;

export const streamKinds = {
  "stream.failing": {
    page: PAGE,
    check: () => holdingOwned(dataStreams, sql`t.state = 'failing'`),
    raised: (org, { names }) =>
      `Entries have not reached the receiver of the ${streams(names)} of ${org}. They are tried again.`,
    resolved: (org) => `No data stream of ${org} fails.`,
  },
  "stream.blocked": {
    page: PAGE,
    check: () => holdingOwned(dataStreams, sql`t.state IN ('blocked', 'disabled')`),
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
