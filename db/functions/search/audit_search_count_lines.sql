-- How many rows of some kinds hold all of some words in their text (others: address and reason of a failure too), in
-- the blocks whose text alone can say so (not rough, not cut by retention). The words are plain ASCII without control
-- characters.
CREATE OR REPLACE FUNCTION audit_search_count_lines(
  p_orgs uuid[], p_words text[], p_others boolean, p_kinds text[]
) RETURNS bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  orgs uuid[] := audit_search_reach(p_orgs);
  one text := CASE cardinality(orgs) WHEN 1 THEN format('s.org_id = %L', orgs[1]) ELSE 's.org_id = ANY ($1)' END;
  line text := CASE WHEN p_others THEN 'l.line' ELSE $q$split_part(l.line, E'\x1d', 1)$q$ END;
  in_block text;
  in_line text;
  total bigint;
BEGIN
  IF cardinality(p_kinds) = 0 THEN RETURN 0; END IF;
  SELECT string_agg(format('s.text LIKE %L', audit_search_pattern(word)), ' AND '),
    string_agg(format('%s LIKE %L', line, audit_search_pattern(word)), ' AND ')
  INTO in_block, in_line
  FROM unnest(p_words) AS word;
  EXECUTE format($q$
    SELECT sum((
      SELECT count(*)
      FROM unnest(string_to_array(s.text, E'\x1e'), string_to_array(s.kinds, E'\x1e')) AS l(line, kind)
      WHERE %s AND l.kind = ANY ($2)))
    FROM audit_search s
    WHERE %s AND %s AND NOT s.rough
      AND s.first_seq > (SELECT h.pruned_through_seq FROM audit_chain_heads h WHERE h.org_id = s.org_id)$q$,
    in_line, one, in_block)
  INTO total
  USING orgs, p_kinds;
  RETURN coalesce(total, 0);
END
$$;

GRANT EXECUTE ON FUNCTION audit_search_count_lines TO trailmark_app;
