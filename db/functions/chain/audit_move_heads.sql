-- Moves heads from the sequences read under the lock, and creates a chain's first head. A chain with rows past its
-- first head has lost the head, and a signed one without rows and head has lost everything: continuing would create a
-- second chain (same SQLSTATE and constraint as a collision with the first one's rows). A note of a restoration, newer
-- than every checkpoint, permits a new start.
CREATE OR REPLACE FUNCTION audit_move_heads(
  orgs uuid[], old_seqs bigint[], new_seqs bigint[], new_links text[]
) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
DECLARE
  moved bigint;
  created bigint := 0;
BEGIN
  UPDATE audit_chain_heads h
  SET seq = u.new_seq, checksum = u.link
  FROM unnest(orgs, old_seqs, new_seqs, new_links) AS u(org, old_seq, new_seq, link)
  WHERE h.org_id = u.org AND h.seq = u.old_seq;
  GET DIAGNOSTICS moved = ROW_COUNT;
  IF moved < cardinality(orgs) THEN
    INSERT INTO audit_chain_heads (org_id, seq, checksum)
    SELECT u.org, u.new_seq, u.link
    FROM unnest(orgs, old_seqs, new_seqs, new_links) AS u(org, old_seq, new_seq, link)
    WHERE u.old_seq = 0;
    GET DIAGNOSTICS created = ROW_COUNT;
    IF EXISTS (
      SELECT FROM unnest(orgs, old_seqs, new_seqs) AS u(org, old_seq, new_seq)
      CROSS JOIN LATERAL (
        SELECT FROM audit_logs a WHERE a.org_id = u.org AND a.chain_seq > u.new_seq LIMIT 1) beyond
      WHERE u.old_seq = 0) THEN
      RAISE EXCEPTION 'audit_chain_heads: a chain has rows but no head'
        USING ERRCODE = 'unique_violation', CONSTRAINT = 'audit_logs_org_seq_key';
    END IF;
    IF EXISTS (
      SELECT FROM unnest(orgs, old_seqs) AS u(org, old_seq)
      WHERE u.old_seq = 0 AND audit_is_signed(u.org)) THEN
      RAISE EXCEPTION 'audit_chain_heads: entries of this chain were signed, and it has none'
        USING ERRCODE = 'unique_violation', CONSTRAINT = 'audit_logs_org_seq_key';
    END IF;
  END IF;
  IF moved + created <> cardinality(orgs) THEN
    RAISE EXCEPTION 'audit_chain_heads: a chain moved without its lock' USING ERRCODE = 'serialization_failure';
  END IF;
  RETURN moved;
END
$$;
