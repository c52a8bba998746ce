-- Tests the chain of a nonexistent organization as the sealer under forced row-level security, and undoes it. Raises if
-- it does not seal. On a cluster it runs on the organization's future node, and never selects whole rows: a shard's
-- rows have their own type.
CREATE OR REPLACE FUNCTION audit_self_test_org(p_org uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  good int;
BEGIN
  BEGIN
    SET CONSTRAINTS ALL IMMEDIATE;
    INSERT INTO audit_logs (id, org_id, "timestamp", actor_type, actor_id, action, resource_type, details, result)
    SELECT gen_random_uuid(), p_org, now(), 'system', p_org, 'self.test', 'chain', '{"n": 1.0}', 'success'
    FROM generate_series(1, 3);

    SELECT count(*) INTO good
    FROM audit_logs a
    LEFT JOIN audit_logs b ON b.org_id = p_org AND b.chain_seq = a.chain_seq - 1
    WHERE a.org_id = p_org
      AND a.seal_tx IS NULL
      AND a.checksum = audit_link(
        a.prev_checksum, a.chain_seq,
        audit_lengths(
          a.id, p_org, audit_ms(a."timestamp"), a.actor_type, a.actor_id, NULL, a.action, a.resource_type, NULL, NULL,
          a.details::text, NULL, NULL, a.result, NULL),
        audit_values(
          a.id, p_org, audit_ms(a."timestamp"), a.actor_type, a.actor_id, NULL, a.action, a.resource_type, NULL, NULL,
          a.details::text, NULL, NULL, a.result, NULL))
      AND a.prev_checksum IS NOT DISTINCT FROM b.checksum;
    IF good <> 3 THEN RAISE EXCEPTION 'the audit chain does not seal: % of 3 rows', good; END IF;
    PERFORM FROM audit_chain_heads h WHERE h.org_id = p_org AND h.seq = 3;
    IF NOT FOUND THEN RAISE EXCEPTION 'the head of the audit chain does not move'; END IF;

    BEGIN
      UPDATE audit_logs SET checksum = 'x' WHERE org_id = p_org;
      RAISE EXCEPTION 'audit_logs lets sealed rows change';
    EXCEPTION WHEN insufficient_privilege THEN NULL;
    END;
    RAISE EXCEPTION USING ERRCODE = 'TM000', MESSAGE = 'undo';
  EXCEPTION WHEN SQLSTATE 'TM000' THEN NULL;
  END;
END
$$;

GRANT EXECUTE ON FUNCTION audit_self_test_org TO CURRENT_USER;
