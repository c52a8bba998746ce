-- Entries name an agent by its id, a UUID in lower case. Agents are found by that as a plain column, because row level
-- security lets no function into an index condition.
ALTER TABLE agents ADD COLUMN actor_id text GENERATED ALWAYS AS (
  CASE WHEN id ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN lower(id) ELSE id END
) STORED;
--> statement-breakpoint
CREATE INDEX agents_actor_idx ON agents (actor_id, org_id);
