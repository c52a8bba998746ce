-- audit_move_heads() for one organization on a cluster: every statement names it, so that none leaves the node with its
-- shards.
CREATE OR REPLACE FUNCTION audit_move_head(p_org uuid, p_old_seq bigint, p_new_seq bigint, p_new_link text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
  IF p_old_seq IS NOT NULL THEN
    UPDATE audit_chain_heads
    SET seq = p_new_seq, checksum = p_new_link
    WHERE org_id = p_org AND seq = p_old_seq;
    IF FOUND THEN RETURN; END IF;
    RAISE EXCEPTION 'audit_chain_heads: a chain moved without its lock' USING ERRCODE = 'serialization_failure';
  END IF;
  PERFORM FROM audit_logs a WHERE a.org_id = p_org AND a.chain_seq > p_new_seq LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'audit_chain_heads: a chain has rows but no head'
      USING ERRCODE = 'unique_violation', CONSTRAINT = 'audit_logs_org_seq_key';
  END IF;
  IF audit_is_signed(p_org) THEN
    RAISE EXCEPTION 'audit_chain_heads: entries of this chain were signed, and it has none'
      USING ERRCODE = 'unique_violation', CONSTRAINT = 'audit_logs_org_seq_key';
  END IF;
  INSERT INTO audit_chain_heads (org_id, seq, checksum) VALUES (p_org, p_new_seq, p_new_link);
END
$$;
