-- Heads of organizations in reach of the transaction's tenant settings; the application role has no right on the table
-- itself.
CREATE OR REPLACE FUNCTION audit_chain_heads_of(orgs uuid[]) RETURNS TABLE (
  org_id uuid, seq bigint, checksum text, pruned_through_seq bigint, pruned_through_checksum text
)
LANGUAGE sql STABLE SECURITY DEFINER ROWS 10
SET search_path = pg_catalog, public, pg_temp
AS $$
  SELECT h.org_id, h.seq, h.checksum, h.pruned_through_seq, h.pruned_through_checksum
  FROM (SELECT DISTINCT unnest(orgs) AS org) o
  CROSS JOIN LATERAL (SELECT * FROM audit_chain_heads c WHERE c.org_id = o.org ORDER BY c.seq DESC LIMIT 1) h
  WHERE (SELECT current_setting('trailmark.scope', true)) = 'system'
    OR o.org = ANY ((SELECT NULLIF(current_setting('trailmark.org_ids', true), '')::uuid[])::uuid[])
$$;

GRANT EXECUTE ON FUNCTION audit_chain_heads_of TO trailmark_app, trailmark_audit_admin;
