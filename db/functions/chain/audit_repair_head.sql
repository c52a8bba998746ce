-- Sets the head of a chain to its newest row, named by the caller after verifying it. A head from which newer rows
-- continue is right, and stays. Neither removes nor writes rows.
CREATE OR REPLACE FUNCTION audit_repair_head(
  org uuid, last_seq bigint, last_checksum text, through_seq bigint, through_checksum text
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  newest record;
BEGIN
  PERFORM pg_advisory_xact_lock(audit_lock_key(org));
  SELECT a.chain_seq, a.checksum INTO newest
  FROM audit_logs a
  WHERE a.org_id = org AND a.chain_seq IS NOT NULL
  ORDER BY a.chain_seq DESC
  LIMIT 1;
  IF (newest.chain_seq, newest.checksum::text) IS DISTINCT FROM (last_seq, last_checksum) THEN
    -- A head that is ahead of the rows gets newer ones too, behind the gap: the numbers tell.
    PERFORM FROM audit_chain_heads h
    JOIN audit_logs a ON a.org_id = h.org_id
    WHERE h.org_id = org AND h.seq = newest.chain_seq AND h.checksum = newest.checksum
      AND a.chain_seq = last_seq AND a.checksum = last_checksum;
    IF FOUND AND newest.chain_seq - last_seq = (
      SELECT count(*) FROM audit_logs a WHERE a.org_id = org AND a.chain_seq > last_seq) THEN
      RETURN;
    END IF;
    RAISE EXCEPTION 'audit_repair_head: the newest row is sequence %, not %', newest.chain_seq, last_seq
      USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  UPDATE audit_chain_heads h
  SET seq = last_seq, checksum = last_checksum, pruned_through_seq = through_seq,
    pruned_through_checksum = through_checksum
  WHERE h.org_id = org;
  IF NOT FOUND THEN
    INSERT INTO audit_chain_heads (org_id, seq, checksum, pruned_through_seq, pruned_through_checksum)
    VALUES (org, last_seq, last_checksum, through_seq, through_checksum);
  END IF;
END
$$;

GRANT EXECUTE ON FUNCTION audit_repair_head TO trailmark_audit_admin;
