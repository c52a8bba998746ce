-- Blocks that can hold a match, in no order, at most p_cap (NULL: all); rough only: of those alone whose text cannot
-- say so, or that retention has cut. One look-up in the index for all organizations.
CREATE OR REPLACE FUNCTION audit_search_blocks(
  p_orgs uuid[], p_probe jsonb, p_rough_only boolean, p_cap bigint
) RETURNS TABLE (org_id uuid, first_seq bigint, last_seq bigint, max_at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1000
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  orgs uuid[] := audit_search_reach(p_orgs);
  one text := CASE cardinality(orgs) WHEN 1 THEN format('s.org_id = %L', orgs[1]) ELSE 's.org_id = ANY ($2)' END;
  clause text := audit_search_clause(p_probe, orgs);
  -- Two queries, each with its own index: together they would look at every block that can hold a match.
  source text := CASE WHEN p_rough_only THEN '(
      SELECT * FROM audit_search r WHERE r.rough
      UNION ALL
      SELECT c.* FROM unnest($2) AS o(id), audit_chain_heads h, audit_search c
      WHERE h.org_id = o.id AND c.org_id = o.id AND c.first_seq <= h.pruned_through_seq AND NOT c.rough)'
    ELSE 'audit_search' END;
BEGIN
  RETURN QUERY EXECUTE format($q$
    SELECT s.org_id, s.first_seq, s.last_seq, s.max_at::timestamptz
    FROM %s s
    WHERE %s AND %s
    LIMIT $1$q$, source, one, clause)
  USING p_cap, orgs;
END
$$;

GRANT EXECUTE ON FUNCTION audit_search_blocks TO trailmark_app;
