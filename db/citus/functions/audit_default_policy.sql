-- Spec: every new organization has the 365-day retention policy, however it is created. As the caller, who may:
-- trailmark_sealer cannot log in and so reaches no other node.
CREATE OR REPLACE FUNCTION audit_default_policy() RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
  INSERT INTO audit_retention_policies (org_id) VALUES (NEW.id);
  RETURN NULL;
END
$$;
