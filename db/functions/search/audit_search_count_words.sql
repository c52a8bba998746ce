-- How many rows hold all of some words, each in any field, in the blocks whose text alone can say so (not rough, not
-- cut by retention). The words are plain ASCII without control characters. Asked by servers of an earlier version.
CREATE OR REPLACE FUNCTION audit_search_count_words(p_orgs uuid[], p_words text[]) RETURNS bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  orgs uuid[] := audit_search_reach(p_orgs);
  one text := CASE cardinality(orgs) WHEN 1 THEN format('s.org_id = %L', orgs[1]) ELSE 's.org_id = ANY ($1)' END;
  in_block text;
  in_line text;
  total bigint;
BEGIN
  SELECT string_agg(audit_search_either(ARRAY[word], '{}', orgs), ' AND '),
    string_agg(
      format(
        $q$(l.line LIKE %1$L OR split_part(l.kind, E'\x1d', 1) LIKE %1$L
          OR split_part(l.kind, E'\x1d', 2) LIKE %1$L)$q$,
        audit_search_pattern(word)), ' AND ')
  INTO in_block, in_line
  FROM unnest(p_words) AS word;
  EXECUTE format($q$
    SELECT sum((
      SELECT count(*)
      FROM unnest(string_to_array(s.text, E'\x1e'), string_to_array(lower(s.kinds), E'\x1e')) AS l(line, kind)
      WHERE %s))
    FROM audit_search s
    WHERE %s AND %s AND NOT s.rough
      AND s.first_seq > (SELECT h.pruned_through_seq FROM audit_chain_heads h WHERE h.org_id = s.org_id)$q$,
    in_line, one, in_block)
  INTO total
  USING orgs;
  RETURN coalesce(total, 0);
END
$$;

GRANT EXECUTE ON FUNCTION audit_search_count_words TO trailmark_app;
