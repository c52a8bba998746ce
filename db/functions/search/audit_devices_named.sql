-- Hostnames of devices in an entry's details (server/audit/vocabulary.ts); NULL without any. A single expression, which
-- the planner inlines.
CREATE OR REPLACE FUNCTION audit_devices_named(p_details jsonb) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN p_details ?| ARRAY['device', 'deviceName', 'hostname'] THEN
  NULLIF(array_remove(ARRAY[
    audit_device_name(p_details -> 'device'), audit_device_name(p_details -> 'deviceName'),
    audit_device_name(p_details -> 'hostname'), audit_device_name(p_details #> '{device,name}'),
    audit_device_name(p_details #> '{device,hostname}')], NULL), '{}') END;

GRANT EXECUTE ON FUNCTION audit_devices_named TO trailmark_app;
