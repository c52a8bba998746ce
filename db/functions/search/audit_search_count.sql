-- How many rows hold a term in one of the five searched fields, in the blocks whose text alone can say so (not rough,
-- not cut by retention). The term is plain ASCII without control characters.
CREATE OR REPLACE FUNCTION audit_search_count(p_orgs uuid[], p_term text) RETURNS bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  orgs uuid[] := audit_search_reach(p_orgs);
  one text := CASE cardinality(orgs) WHEN 1 THEN format('s.org_id = %L', orgs[1]) ELSE 's.org_id = ANY ($1)' END;
  total bigint;
BEGIN
  EXECUTE format($q$
    SELECT sum((SELECT count(*) FROM string_to_table(s.text, E'\x1e') AS line
      WHERE split_part(line, E'\x1d', 1) LIKE %1$L))
    FROM audit_search s
    WHERE %2$s AND s.text LIKE %1$L AND NOT s.rough
      AND s.first_seq > (SELECT h.pruned_through_seq FROM audit_chain_heads h WHERE h.org_id = s.org_id)$q$,
    audit_search_pattern(p_term), one)
  INTO total
  USING orgs;
  RETURN coalesce(total, 0);
END
$$;

GRANT EXECUTE ON FUNCTION audit_search_count TO trailmark_app;
