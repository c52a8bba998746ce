-- Follows retention in the tallies of one chain, and counts up to four more slices. Returns the rows advanced. The
-- caller holds the indexer's lock.
CREATE OR REPLACE FUNCTION audit_tally_advance(p_org uuid) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_custom_plan
SET work_mem = '32MB'
AS $$
DECLARE
  head bigint;
  pruned bigint;
  s audit_tally_state;
  slice bigint;
  base bigint;
  through bigint;
BEGIN
  IF current_setting('trailmark.scope', true) IS DISTINCT FROM 'system' THEN
    RAISE EXCEPTION 'audit_tally_advance is for the indexer' USING ERRCODE = 'insufficient_privilege';
  END IF;
  SELECT h.seq, h.pruned_through_seq INTO head, pruned FROM audit_chain_heads h WHERE h.org_id = p_org;
  IF head IS NULL THEN RETURN 0; END IF;
  INSERT INTO audit_tally_state (org_id) VALUES (p_org) ON CONFLICT DO NOTHING;
  SELECT * INTO s FROM audit_tally_state WHERE org_id = p_org;
  IF pruned > s.pruned_through_seq THEN
    SELECT max(last_seq) INTO slice
    FROM audit_tallies
    WHERE org_id = p_org AND first_seq <= pruned AND last_seq > pruned;
    DELETE FROM audit_tallies WHERE org_id = p_org AND first_seq <= pruned;
    DELETE FROM audit_actor_tallies WHERE org_id = p_org AND first_seq <= pruned;
    IF slice IS NOT NULL THEN PERFORM audit_tally(p_org, pruned, slice); END IF;
  END IF;

  base := greatest(s.tallied_through_seq, pruned);
  through := base;
  WHILE head - through >= 2048 AND through < base + 4 * 8192 LOOP
    slice := through;
    through := least(head, slice + 8192);
    PERFORM audit_tally(p_org, slice, through);
  END LOOP;
  UPDATE audit_tally_state SET tallied_through_seq = through, pruned_through_seq = pruned WHERE org_id = p_org;
  RETURN through - base;
END
$$;

GRANT EXECUTE ON FUNCTION audit_tally_advance TO trailmark_app;
