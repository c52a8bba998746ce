-- Blocks that can hold a match, in no order, at most p_cap (NULL: all). One look-up in the index for all organizations.
CREATE OR REPLACE FUNCTION audit_search_blocks(
  p_orgs uuid[], p_needle jsonb, p_rough_only boolean, p_cap bigint
) RETURNS TABLE (org_id uuid, first_seq bigint, last_seq bigint, max_at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1000
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  orgs uuid[] := audit_search_reach(p_orgs);
  one text := CASE cardinality(orgs) WHEN 1 THEN format('s.org_id = %L', orgs[1]) ELSE 's.org_id = ANY ($2)' END;
  clause text := audit_search_clause(p_needle, orgs) || CASE WHEN p_rough_only THEN
    ' AND (s.rough OR s.first_seq <= (
      SELECT h.pruned_through_seq FROM audit_chain_heads h WHERE h.org_id = s.org_id))' ELSE '' END;
BEGIN
  RETURN QUERY EXECUTE format($q$
    SELECT s.org_id, s.first_seq, s.last_seq, s.max_at::timestamptz
    FROM audit_search s
    WHERE %s AND %s
    LIMIT $1$q$, one, clause)
  USING p_cap, orgs;
END
$$;

GRANT EXECUTE ON FUNCTION audit_search_blocks TO trailmark_app;
