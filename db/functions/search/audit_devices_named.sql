-- The devices that an entry's details name, by hostname (server/audit/device-named.ts); none is NULL.
CREATE OR REPLACE FUNCTION audit_devices_named(p_details jsonb) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN p_details ?| ARRAY['device', 'deviceName', 'hostname'] THEN (
  SELECT array_agg(DISTINCT value #>> '{}')
  FROM unnest(ARRAY[p_details -> 'device', p_details -> 'deviceName', p_details -> 'hostname',
    p_details #> '{device,name}', p_details #> '{device,hostname}']) AS value
  WHERE jsonb_typeof(value) = 'string' AND char_length(value #>> '{}') BETWEEN 1 AND 255) END;

GRANT EXECUTE ON FUNCTION audit_devices_named TO trailmark_app;
