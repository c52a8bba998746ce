-- What the overview of all organizations asks of each is one look at an index: the checkpoint that was signed last
-- before a time, the last verification of a whole chain, and the failures of a day (denials have an index already).
CREATE INDEX audit_notes_signed_idx ON audit_notes (org_id, signed_at, size) WHERE kind = 'checkpoint';
--> statement-breakpoint
CREATE INDEX audit_verifications_whole_idx ON audit_verifications (org_id, ran_at) WHERE kind = 'whole';
--> statement-breakpoint
CREATE INDEX audit_logs_failure_idx ON audit_logs (org_id, "timestamp") WHERE result = 'failure';
