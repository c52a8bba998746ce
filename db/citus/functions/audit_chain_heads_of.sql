-- Heads of organizations in reach of the transaction's tenant settings. Runs as the caller, under row-level security on
-- the shards: trailmark_sealer cannot log in and so reaches no other node.
CREATE OR REPLACE FUNCTION audit_chain_heads_of(orgs uuid[]) RETURNS TABLE (
  org_id uuid, seq bigint, checksum text, pruned_through_seq bigint, pruned_through_checksum text
)
LANGUAGE plpgsql STABLE ROWS 10
SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
  RETURN QUERY
  SELECT h.org_id, h.seq, h.checksum::text, h.pruned_through_seq, h.pruned_through_checksum::text
  FROM audit_chain_heads h
  WHERE h.org_id = ANY (orgs);
END
$$;

GRANT EXECUTE ON FUNCTION audit_chain_heads_of TO trailmark_app, trailmark_audit_admin;
