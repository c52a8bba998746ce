-- What is looked for, as a condition on blocks `s`: every term is part of the text or of what a row is, of every set
-- of values one is among the tags, of every pair of sets one of the terms or one of the tags, the span is touched.
-- {"terms": [text], "tags": [[value]], "any": [{"terms": [text], "tags": [value]}], "from": time, "to": time};
-- literals, so that the planner sees them.
CREATE OR REPLACE FUNCTION audit_search_clause(p_probe jsonb, p_orgs uuid[]) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
  SELECT coalesce(string_agg(clause, ' AND '), 'true')
  FROM (
    SELECT audit_search_either(ARRAY[term], '{}', p_orgs) AS clause
    FROM jsonb_array_elements_text(p_probe -> 'terms') AS term
    UNION ALL
    SELECT format(
      's.tags && %L::integer[]', ARRAY(SELECT audit_search_tag(v) FROM jsonb_array_elements_text(one) AS v))
    FROM jsonb_array_elements(p_probe -> 'tags') AS one
    UNION ALL
    SELECT audit_search_either(
      ARRAY(SELECT jsonb_array_elements_text(one -> 'terms')), ARRAY(SELECT jsonb_array_elements_text(one -> 'tags')),
      p_orgs)
    FROM jsonb_array_elements(p_probe -> 'any') AS one
    UNION ALL
    SELECT format('s.max_at >= %L::timestamptz', p_probe ->> 'from') WHERE p_probe ->> 'from' IS NOT NULL
    UNION ALL
    SELECT format('s.min_at <= %L::timestamptz', p_probe ->> 'to') WHERE p_probe ->> 'to' IS NOT NULL) clauses
$$;
