-- Seals every row when its transaction commits, however it was inserted. This deferred trigger fires for each row
-- inserted unsealed. A single row is sealed here. For several, the first firing seals all and leaves a mark, so that
-- later ones cost one primary key look-up; a forged mark costs time, never a seal.
CREATE OR REPLACE FUNCTION audit_seal() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
SET enable_seqscan = off
AS $$
DECLARE
  me xid8 := pg_current_xact_id();
  sealed boolean;
  ms bigint;
  details text;
  lengths text;
  vals text;
  old_seq bigint;
  new_seq bigint;
  link text;
  prev text;
BEGIN
  IF current_setting('trailmark.sealed', true) = me::text THEN
    SELECT chain_seq IS NOT NULL INTO sealed FROM audit_logs WHERE id = NEW.id;
    IF sealed THEN RETURN NULL; END IF;
  END IF;
  IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
    RAISE EXCEPTION 'audit_logs takes rows in READ COMMITTED transactions only, this one is %',
        upper(current_setting('transaction_isolation'))
      USING ERRCODE = 'feature_not_supported',
        HINT = 'A chain is linked to its newest row, which an older snapshot does not show.';
  END IF;

  PERFORM FROM audit_logs WHERE chain_seq IS NULL AND seal_tx = me AND id <> NEW.id LIMIT 1;
  IF FOUND THEN
    PERFORM audit_seal_transaction(me);
    PERFORM set_config('trailmark.sealed', me::text, true);
    SELECT chain_seq IS NOT NULL INTO sealed FROM audit_logs WHERE id = NEW.id;
    IF sealed IS NOT TRUE THEN RAISE EXCEPTION 'audit_logs: the row % could not be sealed', NEW.id; END IF;
    RETURN NULL;
  END IF;

  ms := audit_ms(NEW."timestamp");
  details := NEW.details::text;
  lengths := audit_lengths(
    NEW.id, NEW.org_id, ms, NEW.actor_type, NEW.actor_id, NEW.actor_email, NEW.action, NEW.resource_type,
    NEW.resource_id, NEW.resource_name, details, NEW.ip_address, NEW.user_agent, NEW.result, NEW.error_message);
  vals := audit_values(
    NEW.id, NEW.org_id, ms, NEW.actor_type, NEW.actor_id, NEW.actor_email, NEW.action, NEW.resource_type,
    NEW.resource_id, NEW.resource_name, details, NEW.ip_address, NEW.user_agent, NEW.result, NEW.error_message);

  -- An expression, where it suffices: a statement costs ten times as much.
  IF NOT pg_try_advisory_xact_lock(audit_lock_key(NEW.org_id)) THEN
    PERFORM pg_advisory_xact_lock(audit_lock_key(NEW.org_id));
  END IF;
  SELECT c.seq, c.checksum INTO old_seq, prev
  FROM audit_chain_heads c
  WHERE c.org_id = NEW.org_id
  ORDER BY c.seq DESC
  LIMIT 1;
  new_seq := coalesce(old_seq, 0) + 1;
  link := audit_link(prev, new_seq, lengths, vals);

  IF old_seq IS NULL THEN
    PERFORM FROM audit_logs a WHERE a.org_id = NEW.org_id AND a.chain_seq >= 1 LIMIT 1;
    IF FOUND THEN
      RAISE EXCEPTION 'audit_chain_heads: a chain has rows but no head'
        USING ERRCODE = 'unique_violation', CONSTRAINT = 'audit_logs_org_seq_key';
    END IF;
    IF audit_is_signed(NEW.org_id) THEN
      RAISE EXCEPTION 'audit_chain_heads: entries of this chain were signed, and it has none'
        USING ERRCODE = 'unique_violation', CONSTRAINT = 'audit_logs_org_seq_key';
    END IF;
    INSERT INTO audit_chain_heads (org_id, seq, checksum) VALUES (NEW.org_id, new_seq, link);
  ELSE
    UPDATE audit_chain_heads SET seq = new_seq, checksum = link WHERE org_id = NEW.org_id AND seq = old_seq;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'audit_chain_heads: a chain moved without its lock' USING ERRCODE = 'serialization_failure';
    END IF;
  END IF;
  UPDATE audit_logs SET chain_seq = new_seq, checksum = link, prev_checksum = prev, seal_tx = NULL WHERE id = NEW.id;
  IF NOT FOUND THEN RAISE EXCEPTION 'audit_logs: the row % could not be sealed', NEW.id; END IF;
  RETURN NULL;
END
$$;
