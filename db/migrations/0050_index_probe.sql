-- A parameter of theirs has another name, which CREATE OR REPLACE does not take.
DROP FUNCTION IF EXISTS audit_search_window(uuid[], jsonb, timestamptz, uuid, bigint, integer);
--> statement-breakpoint
DROP FUNCTION IF EXISTS audit_search_blocks(uuid[], jsonb, boolean, bigint);
--> statement-breakpoint
DROP FUNCTION IF EXISTS audit_search_clause(jsonb, uuid[]);
