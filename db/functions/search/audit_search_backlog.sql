-- Organizations with work for the indexer, those with most of it first.
CREATE OR REPLACE FUNCTION audit_search_backlog() RETURNS TABLE (org_id uuid, rows bigint)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
  SELECT h.org_id, h.seq - greatest(h.pruned_through_seq, coalesce(s.indexed_through_seq, 0))
  FROM audit_chain_heads h
  LEFT JOIN audit_search_state s ON s.org_id = h.org_id
  WHERE (SELECT current_setting('trailmark.scope', true)) = 'system'
    AND (h.seq - greatest(h.pruned_through_seq, coalesce(s.indexed_through_seq, 0)) >= 128
      OR h.seq - greatest(h.pruned_through_seq, coalesce(s.tallied_through_seq, 0)) >= 2048
      OR h.pruned_through_seq > coalesce(s.pruned_through_seq, 0))
  ORDER BY 2 DESC
  LIMIT 100
$$;

GRANT EXECUTE ON FUNCTION audit_search_backlog TO trailmark_app;
