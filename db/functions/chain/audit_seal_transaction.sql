-- Seals every unsealed row of a transaction at once: locks in key order, then one pass, then the heads. Heads move by
-- compare and set, so a chain that moved without its lock fails instead of forking.
CREATE OR REPLACE FUNCTION audit_seal_transaction(me xid8) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
DECLARE
  r record;
  org uuid;
  seq bigint;
  prev text;
  link text;
  ids uuid[] := '{}';
  seqs bigint[] := '{}';
  links text[] := '{}';
  prevs text[] := '{}';
  orgs uuid[] := '{}';
  old_seqs bigint[] := '{}';
  new_seqs bigint[] := '{}';
  new_links text[] := '{}';
  moved bigint;
  n bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(k) FROM (
    SELECT DISTINCT audit_lock_key(org_id) AS k
    FROM audit_logs
    WHERE chain_seq IS NULL AND seal_tx = me
    ORDER BY k
    OFFSET 0) keys;

  FOR r IN
    SELECT t.id, t.org_id,
      audit_lengths(
        id, org_id, ms, actor_type, actor_id, actor_email, action, resource_type,
        resource_id, resource_name, details, ip_address, user_agent, result, error_message) AS lengths,
      audit_values(
        id, org_id, ms, actor_type, actor_id, actor_email, action, resource_type,
        resource_id, resource_name, details, ip_address, user_agent, result, error_message) AS vals
    FROM (
      SELECT a.cmin::text::bigint AS command, a.ctid AS place, a.id, a.org_id, audit_ms(a."timestamp") AS ms,
        a.actor_type, a.actor_id, a.actor_email, a.action, a.resource_type, a.resource_id, a.resource_name,
        a.details::text AS details, a.ip_address, a.user_agent, a.result, a.error_message
      FROM audit_logs a
      WHERE a.chain_seq IS NULL AND a.seal_tx = me
      OFFSET 0) t
    ORDER BY t.org_id, t.command, t.place
  LOOP
    IF org IS DISTINCT FROM r.org_id THEN
      IF org IS NOT NULL THEN
        new_seqs := new_seqs || seq;
        new_links := new_links || link;
      END IF;
      org := r.org_id;
      SELECT h.seq, h.checksum INTO seq, link
      FROM audit_chain_heads h
      WHERE h.org_id = org
      ORDER BY h.seq DESC
      LIMIT 1;
      seq := coalesce(seq, 0);
      orgs := orgs || org;
      old_seqs := old_seqs || seq;
    END IF;
    prev := link;
    seq := seq + 1;
    link := audit_link(prev, seq, r.lengths, r.vals);
    ids := ids || r.id;
    seqs := seqs || seq;
    links := links || link;
    prevs := prevs || prev;
  END LOOP;
  IF org IS NULL THEN RETURN; END IF;
  new_seqs := new_seqs || seq;
  new_links := new_links || link;

  UPDATE audit_logs a
  SET chain_seq = u.seq, checksum = u.link, prev_checksum = u.prev, seal_tx = NULL
  FROM unnest(ids, seqs, links, prevs) AS u(id, seq, link, prev)
  WHERE a.id = u.id;
  GET DIAGNOSTICS n = ROW_COUNT;
  IF n <> cardinality(ids) THEN
    RAISE EXCEPTION 'audit_logs: % of % rows could not be sealed', cardinality(ids) - n, cardinality(ids);
  END IF;
  moved := audit_move_heads(orgs, old_seqs, new_seqs, new_links);
END
$$;
