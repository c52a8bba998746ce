-- Parses an IP address or network; NULL for other texts. Without the zone, and IPv4-mapped IPv6 as IPv4 (RFC 4291),
-- like server/audit/query/values.ts.
CREATE OR REPLACE FUNCTION audit_address(p_text text) RETURNS inet
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
DECLARE
  address inet;
BEGIN
  IF p_text ~ '^((25[0-5]|2[0-4]\d|1?\d?\d)(\.|$)){4}$' AND right(p_text, 1) <> '.' THEN RETURN p_text::inet; END IF;
  IF position(':' IN p_text) = 0 THEN RETURN NULL; END IF;
  address := regexp_replace(p_text, '%[^%]+$', '')::inet;
  RETURN coalesce(substring(host(address) FROM '^::ffff:([0-9.]+)$')::inet, address);
EXCEPTION WHEN invalid_text_representation THEN
  RETURN NULL;
END
$$;

GRANT EXECUTE ON FUNCTION audit_address TO trailmark_app;
