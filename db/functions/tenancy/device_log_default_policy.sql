-- Device log retention of every new organization, however it is created.
CREATE OR REPLACE FUNCTION device_log_default_policy() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
  INSERT INTO device_log_policies (org_id) VALUES (NEW.id);
  RETURN NULL;
END
$$;
