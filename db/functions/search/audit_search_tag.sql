-- An exact value ('action:user.login') as a block's tag. Two values may share one: a block is a candidate, no more.
CREATE OR REPLACE FUNCTION audit_search_tag(value text) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN hashtext(value);
