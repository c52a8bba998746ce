-- Sealing time by the clock of the sealing node. A default would be filled in by the contacted node, which names the
-- column and so needs a right that the application role must not have.
CREATE OR REPLACE FUNCTION audit_stamp() RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
  NEW.sealed_at := now();
  RETURN NEW;
END
$$;
