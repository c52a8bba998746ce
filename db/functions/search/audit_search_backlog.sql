-- Organizations with work for the indexer, largest first: rows in no segment, tally or first sighting, segments and
-- tallies of pruned rows.
CREATE OR REPLACE FUNCTION audit_search_backlog() RETURNS TABLE (org_id uuid, rows bigint)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
  SELECT h.org_id, h.seq - greatest(h.pruned_through_seq, coalesce(newest.last_seq, 0))
  FROM audit_chain_heads h
  LEFT JOIN audit_tally_state t ON t.org_id = h.org_id
  LEFT JOIN audit_first_seen_state f ON f.org_id = h.org_id
  LEFT JOIN LATERAL (
    SELECT s.last_seq FROM audit_segments s WHERE s.org_id = h.org_id ORDER BY s.first_seq DESC LIMIT 1) newest ON true
  LEFT JOIN LATERAL (
    SELECT s.last_seq FROM audit_segments s WHERE s.org_id = h.org_id ORDER BY s.first_seq LIMIT 1) oldest ON true
  WHERE (SELECT current_setting('trailmark.scope', true)) = 'system'
    AND (h.seq - greatest(h.pruned_through_seq, coalesce(newest.last_seq, 0)) >= 128
      OR h.seq - greatest(h.pruned_through_seq, coalesce(t.tallied_through_seq, 0)) >= 2048
      OR h.seq - greatest(h.pruned_through_seq, coalesce(f.through_seq, 0)) >= 16
      OR h.pruned_through_seq > coalesce(t.pruned_through_seq, 0)
      OR h.pruned_through_seq >= oldest.last_seq)
  ORDER BY 2 DESC
  LIMIT 100
$$;

GRANT EXECUTE ON FUNCTION audit_search_backlog TO trailmark_app;
