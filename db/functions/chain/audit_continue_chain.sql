-- Lets a chain continue from an older state than was signed: removes tiles over more entries than are proven and, if
-- nothing is left, forgets the tree's start. Requires a note of the restoration newer than every checkpoint; the
-- verifier checks its signature. Neither removes nor writes entries.
CREATE OR REPLACE FUNCTION audit_continue_chain(org uuid, proven bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('trailmark tree ' || org::text, 8));
  PERFORM pg_advisory_xact_lock(audit_lock_key(org));
  IF NOT EXISTS (
    SELECT FROM audit_notes r
    WHERE r.org_id = org AND r.kind = 'restored' AND NOT EXISTS (
      SELECT FROM audit_notes n
      WHERE n.org_id = org AND n.kind = 'checkpoint' AND n.signed_at > r.signed_at)) THEN
    RAISE EXCEPTION 'audit_continue_chain: no note says that this chain was restored'
      USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  DELETE FROM audit_tree_tiles t
  WHERE t.org_id = org AND (t.idx + 1) * 256::numeric ^ (t.level + 1) > proven;
  IF proven = 0 THEN
    UPDATE audit_trees t SET edge = NULL WHERE t.org_id = org;
  END IF;
END
$$;

GRANT EXECUTE ON FUNCTION audit_continue_chain TO trailmark_audit_admin;
