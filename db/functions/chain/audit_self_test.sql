-- Tests the guards and both entry points of a chain; raises on a violation. The migrator runs it after every change.
CREATE OR REPLACE FUNCTION audit_self_test() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  faults text[] := audit_chain_health();
BEGIN
  IF getdatabaseencoding() <> 'UTF8' THEN
    RAISE EXCEPTION 'the database must be in UTF8, it is in %', getdatabaseencoding();
  END IF;
  IF faults <> '{}' THEN RAISE EXCEPTION 'the audit chain is not safe: %', array_to_string(faults, '; '); END IF;
  PERFORM audit_self_test_org(gen_random_uuid());
END
$$;

GRANT EXECUTE ON FUNCTION audit_self_test TO CURRENT_USER;
