-- The guards of every node that answers. Raises when one is missing. The migrator runs it after every change.
CREATE OR REPLACE FUNCTION audit_self_test() RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  faults text[];
BEGIN
  IF getdatabaseencoding() <> 'UTF8' THEN
    RAISE EXCEPTION 'the database must be in UTF8, it is in %', getdatabaseencoding();
  END IF;
  SELECT array_agg(f) INTO faults FROM audit_cluster_health() h, unnest(h.faults) AS f;
  IF faults <> '{}' THEN RAISE EXCEPTION 'the audit chain is not safe: %', array_to_string(faults, '; '); END IF;
END
$$;

GRANT EXECUTE ON FUNCTION audit_self_test TO CURRENT_USER;
