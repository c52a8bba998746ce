-- The next p_size blocks, newest first, before a position in (max_at, org_id, first_seq) order and within the span. Of
-- these come back those that can hold a match, and always the last, whose position is where the next window begins.
-- seen says whether there were p_size.
CREATE OR REPLACE FUNCTION audit_search_window(
  p_orgs uuid[], p_probe jsonb, p_before_at timestamptz, p_before_org uuid, p_before_seq bigint, p_size integer
) RETURNS TABLE (org_id uuid, first_seq bigint, last_seq bigint, max_at timestamptz, matches boolean, seen bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1000
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  older text := CASE WHEN p_before_at IS NULL THEN 'true'
    ELSE 'b.max_at <= $2 AND (b.max_at, b.org_id, b.first_seq) < ($2, $3, $4)' END;
  orgs uuid[] := audit_search_reach(p_orgs);
  span text := audit_search_clause(jsonb_build_object('from', p_probe -> 'from', 'to', p_probe -> 'to'), orgs);
BEGIN
  RETURN QUERY EXECUTE format($q$
    SELECT w.org_id, w.first_seq, w.last_seq, w.max_at::timestamptz, w.matches, w.seen
    FROM (
      SELECT k.*,
        count(*) OVER () AS seen,
        row_number() OVER (ORDER BY k.max_at, k.org_id, k.first_seq) AS position,
        (SELECT %s FROM audit_search s WHERE s.org_id = k.org_id AND s.first_seq = k.first_seq) AS matches
      FROM (
        SELECT n.*
        FROM unnest($1) AS o(id), LATERAL (
          SELECT b.org_id, b.first_seq, b.last_seq, b.max_at
          FROM audit_search b
          WHERE b.org_id = o.id AND %s AND %s
          ORDER BY b.max_at DESC, b.first_seq DESC
          LIMIT $5) n
        ORDER BY n.max_at DESC, n.org_id DESC, n.first_seq DESC
        LIMIT $5) k) w
    WHERE w.matches OR w.position = 1$q$, audit_search_clause(p_probe, orgs), older, replace(span, 's.', 'b.'))
  USING orgs, p_before_at, p_before_org, p_before_seq, p_size;
END
$$;

GRANT EXECUTE ON FUNCTION audit_search_window TO trailmark_app;
