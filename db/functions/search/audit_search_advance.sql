-- One step of the indexer in one chain: follow retention, index up to p_max rows, count them. Returns how many rows
-- were indexed; NULL while another process holds the indexer's lock.
CREATE OR REPLACE FUNCTION audit_search_advance(p_org uuid, p_max integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_custom_plan
SET work_mem = '32MB'
AS $$
DECLARE
  head bigint;
  pruned bigint;
  s audit_search_state;
  base bigint;
  indexed bigint;
BEGIN
  IF current_setting('trailmark.scope', true) IS DISTINCT FROM 'system' THEN
    RAISE EXCEPTION 'audit_search_advance is for the indexer' USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF NOT pg_try_advisory_xact_lock(110, 1) THEN RETURN NULL; END IF;
  SELECT h.seq, h.pruned_through_seq INTO head, pruned FROM audit_chain_heads h WHERE h.org_id = p_org;
  IF head IS NULL THEN RETURN 0; END IF;
  INSERT INTO audit_search_state (org_id) VALUES (p_org) ON CONFLICT DO NOTHING;
  SELECT * INTO s FROM audit_search_state WHERE org_id = p_org;
  IF pruned > s.pruned_through_seq THEN PERFORM audit_search_follow_prune(p_org, pruned); END IF;

  base := greatest(s.indexed_through_seq, pruned);
  indexed := audit_search_make(p_org, base, least(head, base + p_max), false);
  IF indexed IS NOT NULL THEN PERFORM audit_search_name(p_org, base, indexed); END IF;
  s.indexed_through_seq := coalesce(indexed, base);

  s.tallied_through_seq := greatest(s.tallied_through_seq, pruned);
  IF head - s.tallied_through_seq >= 2048 THEN
    PERFORM audit_search_tally(p_org, s.tallied_through_seq, least(head, s.tallied_through_seq + 8192));
    s.tallied_through_seq := least(head, s.tallied_through_seq + 8192);
  END IF;

  UPDATE audit_search_state
  SET indexed_through_seq = s.indexed_through_seq, tallied_through_seq = s.tallied_through_seq,
    pruned_through_seq = pruned
  WHERE org_id = p_org;
  RETURN s.indexed_through_seq - base;
END
$$;

GRANT EXECUTE ON FUNCTION audit_search_advance TO trailmark_app;
