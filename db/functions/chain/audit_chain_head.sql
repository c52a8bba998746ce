-- audit_chain_heads_of() for one organization, as the caller.
CREATE OR REPLACE FUNCTION audit_chain_head(org uuid) RETURNS TABLE (
  org_id uuid, seq bigint, checksum text, pruned_through_seq bigint, pruned_through_checksum text
)
LANGUAGE sql STABLE ROWS 1
SET search_path = pg_catalog, public, pg_temp
AS $$
  SELECT * FROM audit_chain_heads_of(ARRAY[org])
$$;

GRANT EXECUTE ON FUNCTION audit_chain_head TO trailmark_app, trailmark_audit_admin;
