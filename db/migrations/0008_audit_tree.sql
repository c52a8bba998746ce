-- The Merkle tree over each chain, and the notes that were signed over it (docs/chain.md). A leaf is the checksum of a
-- row; only full tiles of 256 hashes are kept, each once, and none leaves with the rows that it stands for: a checkpoint
-- of last year can be proven to be a beginning of today's log. What stands behind the last full tile is read from
-- audit_logs, or from audit_trees.edge where retention has taken it.
--
-- The application adds tiles and notes as the platform alone, and nobody changes them: audit_thin_notes() takes
-- checkpoints that later ones contain, audit_prune() keeps the edge.
--> functions tenant_policy audit_refuse

CREATE TABLE audit_tree_tiles (
  org_id uuid NOT NULL,
  level smallint NOT NULL,
  idx bigint NOT NULL,
  hash bytea NOT NULL,
  leaves bytea,
  CONSTRAINT audit_tree_tiles_pkey PRIMARY KEY (org_id, level, idx),
  CONSTRAINT audit_tree_tiles_level_check CHECK (level BETWEEN 0 AND 6),
  CONSTRAINT audit_tree_tiles_idx_check CHECK (idx >= 0),
  CONSTRAINT audit_tree_tiles_hash_check CHECK (octet_length(hash) = 32),
  CONSTRAINT audit_tree_tiles_leaves_check
    CHECK (CASE WHEN level = 0 THEN leaves IS NOT NULL AND octet_length(leaves) = 8192 ELSE leaves IS NULL END)
);
--> statement-breakpoint
-- Hashes do not shrink.
ALTER TABLE audit_tree_tiles ALTER COLUMN leaves SET STORAGE EXTERNAL;
--> statement-breakpoint

CREATE TABLE audit_trees (
  org_id uuid CONSTRAINT audit_trees_pkey PRIMARY KEY,
  zero_through bigint NOT NULL,
  edge bytea,
  CONSTRAINT audit_trees_zero_through_check CHECK (zero_through >= 0),
  CONSTRAINT audit_trees_edge_check CHECK (octet_length(edge) % 32 = 0 AND octet_length(edge) < 8192)
);
--> statement-breakpoint

CREATE TABLE audit_notes (
  org_id uuid NOT NULL,
  kind text NOT NULL,
  size bigint NOT NULL,
  signed_at timestamptz(3) NOT NULL,
  note text NOT NULL,
  timestamp_token bytea,
  CONSTRAINT audit_notes_pkey PRIMARY KEY (org_id, kind, size, signed_at),
  CONSTRAINT audit_notes_kind_check CHECK (kind IN ('checkpoint', 'receipt')),
  CONSTRAINT audit_notes_size_check CHECK (size >= 0),
  CONSTRAINT audit_notes_note_check CHECK (octet_length(note) <= 65536)
);
--> statement-breakpoint

GRANT SELECT, INSERT ON audit_tree_tiles, audit_notes TO trailmark_app;
--> statement-breakpoint
GRANT SELECT, INSERT (org_id, zero_through) ON audit_trees TO trailmark_app;
--> statement-breakpoint
GRANT SELECT, DELETE ON audit_notes TO trailmark_sealer;
--> statement-breakpoint
GRANT SELECT, UPDATE (edge) ON audit_trees TO trailmark_sealer;
--> statement-breakpoint
GRANT SELECT ON audit_tree_tiles TO trailmark_sealer;
--> statement-breakpoint
REVOKE UPDATE, DELETE, TRUNCATE ON audit_tree_tiles, audit_trees, audit_notes FROM CURRENT_USER;
--> statement-breakpoint

SELECT tenant_policy(t, p_command => 'SELECT') FROM unnest(ARRAY['audit_tree_tiles', 'audit_trees', 'audit_notes']) AS t;
--> statement-breakpoint
CREATE POLICY audit_tree_tiles_system ON audit_tree_tiles FOR INSERT TO trailmark_app
  WITH CHECK ((SELECT current_setting('trailmark.scope', true)) = 'system');
--> statement-breakpoint
CREATE POLICY audit_trees_system ON audit_trees FOR INSERT TO trailmark_app
  WITH CHECK ((SELECT current_setting('trailmark.scope', true)) = 'system');
--> statement-breakpoint
CREATE POLICY audit_notes_system ON audit_notes FOR INSERT TO trailmark_app
  WITH CHECK ((SELECT current_setting('trailmark.scope', true)) = 'system');
--> statement-breakpoint
CREATE POLICY audit_tree_tiles_sealer ON audit_tree_tiles FOR SELECT TO trailmark_sealer USING (true);
--> statement-breakpoint
CREATE POLICY audit_trees_sealer ON audit_trees TO trailmark_sealer USING (true);
--> statement-breakpoint
CREATE POLICY audit_notes_sealer ON audit_notes TO trailmark_sealer USING (true);
--> statement-breakpoint

CREATE TRIGGER audit_tree_tiles_no_change
  BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_tree_tiles
  FOR EACH STATEMENT
  EXECUTE FUNCTION audit_refuse('Tiles stay.');
--> statement-breakpoint
CREATE TRIGGER audit_trees_no_update
  BEFORE UPDATE ON audit_trees
  FOR EACH STATEMENT
  WHEN (current_user <> 'trailmark_sealer')
  EXECUTE FUNCTION audit_refuse('The edge moves by retention alone.');
--> statement-breakpoint
CREATE TRIGGER audit_trees_no_delete
  BEFORE DELETE OR TRUNCATE ON audit_trees
  FOR EACH STATEMENT
  EXECUTE FUNCTION audit_refuse('Trees stay.');
--> statement-breakpoint
CREATE TRIGGER audit_notes_no_change
  BEFORE UPDATE OR TRUNCATE ON audit_notes
  FOR EACH STATEMENT
  EXECUTE FUNCTION audit_refuse('Notes stay as they were signed.');
--> statement-breakpoint
CREATE TRIGGER audit_notes_no_delete
  BEFORE DELETE ON audit_notes
  FOR EACH STATEMENT
  WHEN (current_user <> 'trailmark_sealer')
  EXECUTE FUNCTION audit_refuse('Checkpoints leave by thinning alone.');
--> statement-breakpoint
CREATE TRIGGER audit_notes_keep_receipts
  BEFORE DELETE ON audit_notes
  FOR EACH ROW
  WHEN (OLD.kind <> 'checkpoint')
  EXECUTE FUNCTION audit_refuse('Receipts stay.');
