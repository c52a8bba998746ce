-- Deletes the tallies of a chain: its rows are read until counted again. The caller holds the indexer's lock.
CREATE OR REPLACE FUNCTION audit_tally_forget(p_org uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
  IF current_setting('trailmark.scope', true) IS DISTINCT FROM 'system' THEN
    RAISE EXCEPTION 'audit_tally_forget is for the indexer' USING ERRCODE = 'insufficient_privilege';
  END IF;
  DELETE FROM audit_tallies WHERE org_id = p_org;
  DELETE FROM audit_actor_tallies WHERE org_id = p_org;
  DELETE FROM audit_tally_state WHERE org_id = p_org;
END
$$;

GRANT EXECUTE ON FUNCTION audit_tally_forget TO trailmark_app;
