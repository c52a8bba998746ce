-- Whether a checkpoint over entries of a chain was signed, and no note says since that the chain was restored. Asked
-- where a chain is about to begin: then everything is gone.
CREATE OR REPLACE FUNCTION audit_is_signed(org uuid) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
  SELECT EXISTS (
    SELECT FROM audit_notes n
    WHERE n.org_id = org AND n.kind = 'checkpoint' AND n.size > 0 AND NOT EXISTS (
      SELECT FROM audit_notes r
      WHERE r.org_id = org AND r.kind = 'restored' AND r.signed_at >= n.signed_at))
$$;
