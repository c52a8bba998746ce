-- How many rows hold a term in one of the five searched fields, in the blocks whose text alone can say so (not rough,
-- not cut by retention). The term is plain ASCII without control characters. Asked by servers of an earlier version.
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
    SELECT sum((
      SELECT count(*)
      FROM unnest(string_to_array(s.text, E'\x1e'), string_to_array(lower(s.kinds), E'\x1e')) AS l(line, kind)
      WHERE split_part(l.line, E'\x1d', 1) LIKE %1$L
        OR split_part(l.kind, E'\x1d', 1) LIKE %1$L OR split_part(l.kind, E'\x1d', 2) LIKE %1$L))
    FROM audit_search s
    WHERE %2$s AND %3$s AND NOT s.rough
      AND s.first_seq > (SELECT h.pruned_through_seq FROM audit_chain_heads h WHERE h.org_id = s.org_id)$q$,
    audit_search_pattern(p_term), one, audit_search_either(ARRAY[p_term], '{}', orgs))
  INTO total
  USING orgs;
  RETURN coalesce(total, 0);
END
$$;

GRANT EXECUTE ON FUNCTION audit_search_count TO trailmark_app;
