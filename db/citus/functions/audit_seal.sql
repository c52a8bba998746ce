-- On a cluster a row is sealed by the statement that inserts it, on the node with its shard: a trigger deferred to the
-- commit would wait for locks during the prepare phase on several nodes, where deadlocks are not detected. An open
-- transaction makes other writers of its organization wait; crossing ones are resolved by the cluster's deadlock
-- detection, or by lock_timeout.
CREATE OR REPLACE FUNCTION audit_seal() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
SET lock_timeout = '10s'
AS $$
DECLARE
  old_seq bigint;
BEGIN
  IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
    RAISE EXCEPTION 'audit_logs takes rows in READ COMMITTED transactions only, this one is %',
        upper(current_setting('transaction_isolation'))
      USING ERRCODE = 'feature_not_supported',
        HINT = 'A chain is linked to its newest row, which an older snapshot does not show.';
  END IF;
  PERFORM pg_advisory_xact_lock(audit_lock_key(NEW.org_id));
  SELECT c.seq, c.checksum INTO old_seq, NEW.prev_checksum
  FROM audit_chain_heads c
  WHERE c.org_id = NEW.org_id
  ORDER BY c.seq DESC
  LIMIT 1;
  NEW.chain_seq := coalesce(old_seq, 0) + 1;
  NEW.checksum := audit_checksum(NEW);
  PERFORM audit_move_head(NEW.org_id, old_seq, NEW.chain_seq, NEW.checksum);
  UPDATE audit_logs
  SET chain_seq = NEW.chain_seq, checksum = NEW.checksum, prev_checksum = NEW.prev_checksum
  WHERE org_id = NEW.org_id AND id = NEW.id;
  IF NOT FOUND THEN RAISE EXCEPTION 'audit_logs: the row % could not be sealed', NEW.id; END IF;
  RETURN NULL;
END
$$;
