-- An alarm is over when a reading of the whole chain that began after it was last raised finds nothing; when it was first
-- raised stays as well. Of an alarm that an earlier version raised, or raises beside this one, it is the moment of writing.
ALTER TABLE audit_alarms ADD COLUMN IF NOT EXISTS last_raised_at timestamptz(3) NOT NULL DEFAULT now();
--> statement-breakpoint
-- Entries name an agent by its id, a UUID in lower case. Agents are found by that as a plain column, because row level
-- security lets no function into an index condition.
ALTER TABLE agents ADD COLUMN IF NOT EXISTS actor_id text GENERATED ALWAYS AS (
  CASE WHEN id ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN lower(id) ELSE id END
) STORED;
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS agents_actor_idx ON agents (actor_id, org_id);
--> statement-breakpoint
-- A break stands until a run that read the whole log found none: the newest run that found one, or ended what earlier ones
-- had found, is one probe a chain, however many quiet nights came after it.
CREATE INDEX audit_verifications_deciding_idx ON audit_verifications (org_id, ran_at)
WHERE status = 'broken' OR ((kind = 'whole' OR (kind = 'nightly' AND rolling_through_seq IS NULL))
  AND (status IN ('intact', 'empty') OR (status = 'unproven' AND covered_through_seq IS NOT NULL)));
