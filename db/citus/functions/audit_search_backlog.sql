-- Where the tables are distributed, the search index is not built: every answer comes from the rows themselves, which is
-- what readers do with rows that the index has not come to. Nothing is ever behind.
CREATE OR REPLACE FUNCTION audit_search_backlog() RETURNS TABLE (org_id uuid, rows bigint)
LANGUAGE sql STABLE
SET search_path = pg_catalog, public, pg_temp
AS $$
  SELECT NULL::uuid, 0::bigint WHERE false
$$;

GRANT EXECUTE ON FUNCTION audit_search_backlog TO trailmark_app;
