-- audit_chain_heads_of() for one organization.
CREATE OR REPLACE FUNCTION audit_chain_head(org uuid) RETURNS TABLE (
  org_id uuid, seq bigint, checksum text, pruned_through_seq bigint, pruned_through_checksum text
)
LANGUAGE plpgsql STABLE ROWS 1
SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
  RETURN QUERY
  SELECT h.org_id, h.seq, h.checksum::text, h.pruned_through_seq, h.pruned_through_checksum::text
  FROM audit_chain_heads h
  WHERE h.org_id = org;
END
$$;

GRANT EXECUTE ON FUNCTION audit_chain_head TO trailmark_app, trailmark_audit_admin;
