-- Where the tables are distributed, there are no blocks (audit_search_backlog).
CREATE OR REPLACE FUNCTION audit_search_window(
  p_orgs uuid[], p_probe jsonb, p_before_at timestamptz, p_before_org uuid, p_before_seq bigint, p_size integer
) RETURNS TABLE (org_id uuid, first_seq bigint, last_seq bigint, max_at timestamptz, matches boolean, seen bigint)
LANGUAGE sql STABLE ROWS 1000
SET search_path = pg_catalog, public, pg_temp
AS $$
  SELECT NULL::uuid, 0::bigint, 0::bigint, NULL::timestamptz, false, 0::bigint WHERE false
$$;

GRANT EXECUTE ON FUNCTION audit_search_window TO trailmark_app;
