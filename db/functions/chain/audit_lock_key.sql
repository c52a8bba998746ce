-- Advisory lock key of an organization's chain.
CREATE OR REPLACE FUNCTION audit_lock_key(org uuid) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN uuid_hash_extended(org, 110);
