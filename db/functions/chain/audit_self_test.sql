-- Both ways in, tried as the sealer under forced row level security, and undone. Raises when a promise of the chain
-- does not hold. The migrator runs it after every change.
CREATE OR REPLACE FUNCTION audit_self_test() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  org uuid := gen_random_uuid();
  faults text[] := audit_chain_health();
  good int;
BEGIN
  IF getdatabaseencoding() <> 'UTF8' THEN
    RAISE EXCEPTION 'the database must be in UTF8, it is in %', getdatabaseencoding();
  END IF;
  IF faults <> '{}' THEN RAISE EXCEPTION 'the audit chain is not safe: %', array_to_string(faults, '; '); END IF;
  BEGIN
    SET CONSTRAINTS audit_logs_seal IMMEDIATE;
    INSERT INTO audit_logs (org_id, actor_type, actor_id, action, resource_type, details, result)
    VALUES (org, 'system', org, 'self.test', 'chain', '{"n": 1.0}', 'success');
    INSERT INTO audit_logs (org_id, actor_type, actor_id, action, resource_type, result)
    SELECT org, 'system', org, 'self.test', 'chain', 'success'
    FROM generate_series(1, 2);

    SELECT count(*) INTO good
    FROM audit_logs a
    LEFT JOIN audit_logs b ON b.org_id = org AND b.chain_seq = a.chain_seq - 1
    WHERE a.org_id = org
      AND a.checksum = audit_checksum(a)
      AND a.prev_checksum IS NOT DISTINCT FROM b.checksum
      AND a.seal_tx IS NULL
      AND (SELECT h.seq FROM audit_chain_heads h WHERE h.org_id = org) = 3;
    IF good <> 3 THEN RAISE EXCEPTION 'the audit chain does not seal: % of 3 rows', good; END IF;

    BEGIN
      UPDATE audit_logs SET checksum = 'x' WHERE org_id = org;
      RAISE EXCEPTION 'audit_logs lets sealed rows change';
    EXCEPTION WHEN insufficient_privilege THEN NULL;
    END;
    RAISE EXCEPTION USING ERRCODE = 'TM000', MESSAGE = 'undo';
  EXCEPTION WHEN SQLSTATE 'TM000' THEN NULL;
  END;
END
$$;

GRANT EXECUTE ON FUNCTION audit_self_test TO CURRENT_USER;
