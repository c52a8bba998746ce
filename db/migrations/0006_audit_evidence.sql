-- The Merkle tree over each chain, and the notes that were signed over it (docs/chain.md). A leaf is the checksum of a
-- row; only full tiles of 256 hashes are kept, each once, and none leaves with the rows that it stands for: a checkpoint
-- of last year can be proven to be a beginning of today's log. What stands behind the last full tile is read from
-- audit_logs, or from audit_trees.edge where retention has taken it.
--
-- The application adds tiles and notes as the platform alone, and nobody changes them: audit_thin_notes() takes
-- checkpoints that later ones contain, audit_prune() keeps the edge, audit_continue_chain() takes tiles over entries that
-- were lost.
--
-- Beside them: verifications of the chain, alarms that stand until a whole chain was found intact, and short links to
-- proofs of single entries.

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
-- Hashes do not compress.
ALTER TABLE audit_tree_tiles ALTER COLUMN leaves SET STORAGE EXTERNAL;

CREATE TABLE audit_trees (
  org_id uuid CONSTRAINT audit_trees_pkey PRIMARY KEY,
  edge bytea,
  CONSTRAINT audit_trees_edge_check CHECK (octet_length(edge) % 32 = 0 AND octet_length(edge) < 8192)
);

CREATE TABLE audit_notes (
  org_id uuid NOT NULL,
  kind text NOT NULL,
  size bigint NOT NULL,
  signed_at timestamptz(3) NOT NULL,
  note text NOT NULL,
  timestamp_token bytea,
  CONSTRAINT audit_notes_pkey PRIMARY KEY (org_id, kind, size, signed_at),
  CONSTRAINT audit_notes_kind_check CHECK (kind IN ('checkpoint', 'receipt', 'restored')),
  CONSTRAINT audit_notes_size_check CHECK (size >= 0),
  CONSTRAINT audit_notes_note_check CHECK (octet_length(note) <= 65536)
);
CREATE INDEX audit_notes_signed_idx ON audit_notes (org_id, signed_at, size) WHERE kind = 'checkpoint';

GRANT SELECT, INSERT ON audit_tree_tiles, audit_notes TO trailmark_app;
GRANT SELECT, INSERT (org_id) ON audit_trees TO trailmark_app;
GRANT SELECT, DELETE ON audit_notes TO trailmark_sealer;
GRANT SELECT, UPDATE (edge) ON audit_trees TO trailmark_sealer;
GRANT SELECT, DELETE ON audit_tree_tiles TO trailmark_sealer;
REVOKE UPDATE, DELETE, TRUNCATE ON audit_tree_tiles, audit_trees, audit_notes FROM CURRENT_USER;

SELECT tenant_policy(t, p_command => 'SELECT')
FROM unnest(ARRAY['audit_tree_tiles', 'audit_trees', 'audit_notes']) AS t;
CREATE POLICY audit_tree_tiles_system ON audit_tree_tiles FOR INSERT TO trailmark_app
  WITH CHECK ((SELECT current_setting('trailmark.scope', true)) = 'system');
CREATE POLICY audit_trees_system ON audit_trees FOR INSERT TO trailmark_app
  WITH CHECK ((SELECT current_setting('trailmark.scope', true)) = 'system');
CREATE POLICY audit_notes_system ON audit_notes FOR INSERT TO trailmark_app
  WITH CHECK ((SELECT current_setting('trailmark.scope', true)) = 'system');
CREATE POLICY audit_tree_tiles_sealer ON audit_tree_tiles TO trailmark_sealer USING (true);
CREATE POLICY audit_trees_sealer ON audit_trees TO trailmark_sealer USING (true);
CREATE POLICY audit_notes_sealer ON audit_notes TO trailmark_sealer USING (true);

CREATE TRIGGER audit_tree_tiles_no_change
  BEFORE UPDATE OR TRUNCATE ON audit_tree_tiles
  FOR EACH STATEMENT
  EXECUTE FUNCTION audit_refuse('Tiles stay.');
CREATE TRIGGER audit_tree_tiles_no_delete
  BEFORE DELETE ON audit_tree_tiles
  FOR EACH STATEMENT
  WHEN (current_user <> 'trailmark_sealer')
  EXECUTE FUNCTION audit_refuse('Tiles stay.');
CREATE TRIGGER audit_trees_no_update
  BEFORE UPDATE ON audit_trees
  FOR EACH STATEMENT
  WHEN (current_user <> 'trailmark_sealer')
  EXECUTE FUNCTION audit_refuse('The edge moves by retention alone.');
CREATE TRIGGER audit_trees_no_delete
  BEFORE DELETE OR TRUNCATE ON audit_trees
  FOR EACH STATEMENT
  EXECUTE FUNCTION audit_refuse('Trees stay.');
CREATE TRIGGER audit_notes_no_change
  BEFORE UPDATE OR TRUNCATE ON audit_notes
  FOR EACH STATEMENT
  EXECUTE FUNCTION audit_refuse('Notes stay as they were signed.');
CREATE TRIGGER audit_notes_no_delete
  BEFORE DELETE ON audit_notes
  FOR EACH STATEMENT
  WHEN (current_user <> 'trailmark_sealer')
  EXECUTE FUNCTION audit_refuse('Checkpoints leave by thinning alone.');
CREATE TRIGGER audit_notes_keep_receipts
  BEFORE DELETE ON audit_notes
  FOR EACH ROW
  WHEN (OLD.kind <> 'checkpoint')
  EXECUTE FUNCTION audit_refuse('Receipts stay.');

-- The application appends verifications and cannot change them. Unproven: no contradiction, but a link to one of our
-- keys is missing; the reasons name it.
CREATE TABLE audit_verifications (
  id uuid DEFAULT gen_random_uuid() CONSTRAINT audit_verifications_pkey PRIMARY KEY,
  org_id uuid NOT NULL,
  ran_at timestamptz(3) NOT NULL DEFAULT now(),
  kind text NOT NULL,
  status text NOT NULL,
  rows_checked bigint NOT NULL,
  first_seq bigint,
  last_seq bigint,
  breaks jsonb NOT NULL DEFAULT '[]'::jsonb,
  verified_through_seq bigint,
  rolling_through_seq bigint,
  reasons jsonb NOT NULL DEFAULT '[]'::jsonb,
  covered_through_seq bigint,
  slice jsonb,
  CONSTRAINT audit_verifications_kind_check CHECK (kind IN ('nightly', 'whole', 'range')),
  CONSTRAINT audit_verifications_status_check CHECK (status IN ('intact', 'broken', 'unproven', 'empty'))
);
CREATE INDEX audit_verifications_org_ran_idx ON audit_verifications (org_id, ran_at);
CREATE INDEX audit_verifications_whole_idx ON audit_verifications (org_id, ran_at) WHERE kind = 'whole';
-- A break lasts until a run over the whole log finds none: one probe finds the newest run that found or ended one.
CREATE INDEX audit_verifications_deciding_idx ON audit_verifications (org_id, ran_at)
WHERE status = 'broken' OR ((kind = 'whole' OR (kind = 'nightly' AND rolling_through_seq IS NULL))
  AND (status IN ('intact', 'empty') OR (status = 'unproven' AND covered_through_seq IS NOT NULL)));

-- An alarm ends with a clean reading of the whole chain that started after it was last raised.
CREATE TABLE audit_alarms (
  org_id uuid CONSTRAINT audit_alarms_pkey PRIMARY KEY,
  raised_at timestamptz(3) NOT NULL,
  source text NOT NULL,
  breaks jsonb NOT NULL,
  last_raised_at timestamptz(3) NOT NULL DEFAULT now()
);

SELECT tenant_policy(t) FROM unnest(ARRAY['audit_verifications', 'audit_alarms']) AS t;
GRANT SELECT, INSERT ON audit_verifications TO trailmark_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON audit_alarms TO trailmark_app;

-- Short links to proofs of single entries, for print: whoever has one may open it until it expires or is revoked. Only
-- the hash of the link's secret is stored, and nothing of the entry. The application counts openings and revokes; it
-- never changes a link's owner, target or expiry.
CREATE TABLE audit_shared_proofs (
  id uuid DEFAULT gen_random_uuid() CONSTRAINT audit_shared_proofs_pkey PRIMARY KEY,
  org_id uuid NOT NULL,
  entry_id uuid NOT NULL,
  chain_seq bigint NOT NULL,
  token_hash text NOT NULL,
  created_by uuid NOT NULL,
  created_by_name text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  revoked_at timestamptz(3),
  openings integer NOT NULL DEFAULT 0,
  last_opened_at timestamptz(3),
  CONSTRAINT audit_shared_proofs_token_hash_check CHECK (token_hash ~ '^[0-9a-f]{64}$')
);
CREATE UNIQUE INDEX audit_shared_proofs_token_hash_key ON audit_shared_proofs (token_hash);
CREATE INDEX audit_shared_proofs_org_entry_idx ON audit_shared_proofs (org_id, entry_id);

SELECT tenant_policy('audit_shared_proofs');
GRANT SELECT, INSERT, UPDATE (revoked_at, openings, last_opened_at) ON audit_shared_proofs TO trailmark_app;
