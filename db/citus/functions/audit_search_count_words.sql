-- Where the tables are distributed, there are no blocks to count in (audit_search_backlog).
CREATE OR REPLACE FUNCTION audit_search_count_words(p_orgs uuid[], p_words text[]) RETURNS bigint
LANGUAGE sql STABLE
SET search_path = pg_catalog, public, pg_temp
AS $$
  SELECT 0::bigint
$$;

GRANT EXECUTE ON FUNCTION audit_search_count_words TO trailmark_app;
