-- Spec: every new organization has the 365-day retention policy, however it is created.
CREATE OR REPLACE FUNCTION audit_default_policy() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
  INSERT INTO audit_retention_policies (org_id) VALUES (NEW.id);
  RETURN NULL;
END
$$;
