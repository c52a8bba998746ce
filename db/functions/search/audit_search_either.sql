-- The condition on blocks `s` that one of some terms is part of the text, or one of some values is among the tags. Of
-- an action and a resource type a block has the tag alone: those with a term in them are looked up.
CREATE OR REPLACE FUNCTION audit_search_either(p_terms text[], p_values text[], p_orgs uuid[]) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
  WITH kinds AS (
    SELECT DISTINCT split_part(t.value, E'\x1d', 1) AS action, split_part(t.value, E'\x1d', 2) AS resource_type
    FROM audit_search_terms t
    WHERE cardinality(p_terms) > 0 AND t.org_id = ANY (p_orgs) AND t.kind = 'row'),
  patterns AS (
    SELECT '%' || regexp_replace(term, '([\\%_])', '\\\1', 'g') || '%' AS pattern
    FROM unnest(p_terms) AS term),
  tags AS (
    SELECT audit_search_tag(v) AS tag FROM unnest(p_values) AS v
    UNION SELECT audit_search_tag('action:' || k.action) FROM kinds k, patterns p WHERE k.action ILIKE p.pattern
    UNION
    SELECT audit_search_tag('kind:' || k.resource_type) FROM kinds k, patterns p WHERE k.resource_type ILIKE p.pattern)
  SELECT '(' || string_agg(clause, ' OR ') || ')'
  FROM (
    SELECT format('s.text LIKE %L', audit_search_pattern(term)) AS clause FROM unnest(p_terms) AS term
    UNION ALL
    SELECT format('s.tags && %L::integer[]', array_agg(tag)) FROM tags HAVING count(*) > 0) clauses
$$;
