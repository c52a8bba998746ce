-- A member of details as a device's hostname; NULL for other values.
CREATE OR REPLACE FUNCTION audit_device_name(p_value jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN jsonb_typeof(p_value) = 'string' AND char_length(p_value #>> '{}') BETWEEN 1 AND 255
  THEN p_value #>> '{}' END;

GRANT EXECUTE ON FUNCTION audit_device_name TO trailmark_app;
