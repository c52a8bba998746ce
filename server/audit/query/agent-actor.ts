import { type SQL, sql } from "drizzle-orm";

const UUID = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$";

/** How entries name agent `g` as their actor: an id that is a UUID in lower case (toRow), any other as the agent writes it. */
export const AGENT_ACTOR = sql.raw(`CASE WHEN g.id ~* '${UUID}' THEN lower(g.id) ELSE g.id END`);

/** The condition that agent `g` is the actor of that id. */
export const isAgentCalled = (actor: SQL): SQL => sql`(lower(g.id) = lower(${actor}) AND ${AGENT_ACTOR} = ${actor})`;
