-- The LIKE pattern that finds a term in a block.
CREATE OR REPLACE FUNCTION audit_search_pattern(term text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '%' || regexp_replace(audit_search_text(term), '([\\%_])', '\\\1', 'g') || '%';
