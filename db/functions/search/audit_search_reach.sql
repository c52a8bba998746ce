-- Those of the organizations that the transaction's tenant settings reach.
CREATE OR REPLACE FUNCTION audit_search_reach(p_orgs uuid[]) RETURNS uuid[]
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
  SELECT coalesce(array_agg(o), '{}')
  FROM unnest(p_orgs) AS o
  WHERE (SELECT current_setting('trailmark.scope', true)) = 'system'
    OR o = ANY ((SELECT NULLIF(current_setting('trailmark.org_ids', true), '')::uuid[])::uuid[])
$$;
