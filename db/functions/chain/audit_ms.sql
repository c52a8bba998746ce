-- Timestamp in the canonical payload: whole milliseconds since 1970 of a timestamptz(3). A double is exact until the
-- year 9999.
CREATE OR REPLACE FUNCTION audit_ms(at timestamptz) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (date_part('epoch', at - timestamptz '1970-01-01T00:00:00Z') * 1000)::bigint;

GRANT EXECUTE ON FUNCTION audit_ms TO trailmark_app, trailmark_audit_admin;
