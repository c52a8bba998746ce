-- What a row is, as blocks hold it beside their text.
CREATE OR REPLACE FUNCTION audit_search_kind(action text, resource_type text, actor_type text, result text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN action || E'\x1d' || resource_type || E'\x1d' || actor_type || E'\x1d' || result;
