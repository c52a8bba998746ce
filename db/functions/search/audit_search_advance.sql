-- One step of the indexer in one chain: follow retention, index up to p_max rows, count up to four slices. Counting is
-- ten times as fast as indexing: after a burst, totals and pages of people and things do not wait for the texts.
-- Returns by how many rows the index or the counts came on, whichever is more; NULL while another process holds the
-- indexer's lock.
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
  tallied bigint;
  slice bigint;
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

  tallied := greatest(s.tallied_through_seq, pruned);
  s.tallied_through_seq := tallied;
  WHILE head - s.tallied_through_seq >= 2048 AND s.tallied_through_seq < tallied + 4 * 8192 LOOP
    slice := s.tallied_through_seq;
    s.tallied_through_seq := least(head, slice + 8192);
    PERFORM audit_search_tally(p_org, slice, s.tallied_through_seq);
    PERFORM audit_search_values(p_org, slice, s.tallied_through_seq);
  END LOOP;
  s.merged_through_seq := greatest(s.merged_through_seq, pruned);
  IF s.tallied_through_seq - s.merged_through_seq >= 65536 THEN
    PERFORM audit_search_merge(p_org, s.merged_through_seq, s.tallied_through_seq);
    s.merged_through_seq := s.tallied_through_seq;
  END IF;

  UPDATE audit_search_state
  SET indexed_through_seq = s.indexed_through_seq, tallied_through_seq = s.tallied_through_seq,
    merged_through_seq = s.merged_through_seq, pruned_through_seq = pruned
  WHERE org_id = p_org;
  RETURN greatest(s.indexed_through_seq - base, s.tallied_through_seq - tallied);
END
$$;

GRANT EXECUTE ON FUNCTION audit_search_advance TO trailmark_app;
