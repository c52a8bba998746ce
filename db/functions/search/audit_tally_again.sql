-- Recounts a slice of a chain. Returns whether its tallies differed; nothing is compared if retention is ahead of the
-- tallies, which follow it first. The caller holds the indexer's lock.
CREATE OR REPLACE FUNCTION audit_tally_again(p_org uuid, p_first bigint, p_last bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  texts text[];
BEGIN
  IF current_setting('trailmark.scope', true) IS DISTINCT FROM 'system' THEN
    RAISE EXCEPTION 'audit_tally_again is for the indexer' USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF NOT EXISTS (
    SELECT FROM audit_tally_state s JOIN audit_chain_heads h USING (org_id, pruned_through_seq)
    WHERE org_id = p_org) THEN
    RETURN false;
  END IF;
  FOR pass IN 1..2 LOOP
    texts := texts || (
      SELECT string_agg(line, E'\n' ORDER BY line COLLATE "C")
      FROM (
        SELECT t::text AS line FROM audit_tallies t WHERE t.org_id = p_org AND t.first_seq = p_first
        UNION ALL
        SELECT a::text FROM audit_actor_tallies a WHERE a.org_id = p_org AND a.first_seq = p_first) lines);
    IF pass = 1 THEN
      DELETE FROM audit_tallies WHERE org_id = p_org AND first_seq = p_first;
      DELETE FROM audit_actor_tallies WHERE org_id = p_org AND first_seq = p_first;
      PERFORM audit_tally(p_org, p_first - 1, p_last);
    END IF;
  END LOOP;
  RETURN texts[1] IS DISTINCT FROM texts[2];
END
$$;

GRANT EXECUTE ON FUNCTION audit_tally_again TO trailmark_app;
