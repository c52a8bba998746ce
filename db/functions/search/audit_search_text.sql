-- Text as blocks hold it, and terms as they are looked up in them: in lower case, every byte beyond ASCII as three
-- octal digits, since a cluster with the C locale extracts no trigrams from other letters. It maps byte by byte, so
-- what is part of a text is part of its image; the reverse need not hold, which reading the row sorts out.
CREATE OR REPLACE FUNCTION audit_search_text(t text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN translate(replace(encode(convert_to(lower(t), 'UTF8'), 'escape'), E'\\\\', E'\x1f'), E'\x1f\\', E'\\');
