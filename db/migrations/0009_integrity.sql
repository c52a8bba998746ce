-- A verification may be unproven: nothing contradicts, but a link to one of our keys is missing; the reasons say which.
-- Each also says through which sequence a signed checkpoint covered it, and the nightly one which slice it read again.
ALTER TABLE audit_verifications DROP CONSTRAINT audit_verifications_status_check;
--> statement-breakpoint
ALTER TABLE audit_verifications ADD CONSTRAINT audit_verifications_status_check
  CHECK (status IN ('intact', 'broken', 'unproven', 'empty'));
--> statement-breakpoint
ALTER TABLE audit_verifications
  ADD COLUMN reasons jsonb NOT NULL DEFAULT '[]'::jsonb,
  ADD COLUMN covered_through_seq bigint,
  ADD COLUMN slice jsonb;
