-- True if a checkpoint over entries of a chain was signed, and no later note says that the chain was restored. Checked
-- when a chain is about to start: then everything is lost. In PL/pgSQL, because Citus cannot plan SQL functions with
-- parameters.
CREATE OR REPLACE FUNCTION audit_is_signed(org uuid) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  signed timestamptz;
  restored timestamptz;
BEGIN
  SELECT max(n.signed_at) FILTER (WHERE n.kind = 'checkpoint' AND n.size > 0),
    max(n.signed_at) FILTER (WHERE n.kind = 'restored')
  INTO signed, restored
  FROM audit_notes n
  WHERE n.org_id = org;
  RETURN signed IS NOT NULL AND signed > coalesce(restored, '-infinity');
END
$$;
