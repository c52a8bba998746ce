-- Moves heads from the sequences that were read under the lock, and creates a chain's first head.
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
  END IF;
  IF moved + created <> cardinality(orgs) THEN
    RAISE EXCEPTION 'audit_chain_heads: a chain moved without its lock' USING ERRCODE = 'serialization_failure';
  END IF;
  RETURN moved;
END
$$;
