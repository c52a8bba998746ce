-- Where the tables are distributed, the search index is not built (audit_search_backlog).
CREATE OR REPLACE FUNCTION audit_search_advance(p_org uuid, p_max integer) RETURNS bigint
LANGUAGE sql
SET search_path = pg_catalog, public, pg_temp
AS $$
  SELECT 0::bigint
$$;

GRANT EXECUTE ON FUNCTION audit_search_advance TO trailmark_app;
