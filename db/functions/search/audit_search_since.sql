-- When the newest p_blocks blocks up to a time begin: where the matches of a page probably are. Of several
-- organizations each gives four times its even share at most. NULL where there are no older blocks.
CREATE OR REPLACE FUNCTION audit_search_since(p_orgs uuid[], p_to timestamptz, p_blocks integer) RETURNS timestamptz
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  orgs uuid[] := audit_search_reach(p_orgs);
  share int := least(p_blocks, 4 * p_blocks / greatest(cardinality(orgs), 1) + 1);
BEGIN
  RETURN (
    SELECT CASE WHEN count(*) = p_blocks OR max(n.turn) = share THEN min(n.max_at) END
    FROM (
      SELECT b.max_at, b.turn
      FROM unnest(orgs) AS o(id), LATERAL (
        SELECT s.max_at, row_number() OVER (ORDER BY s.max_at DESC) AS turn
        FROM audit_search s
        WHERE s.org_id = o.id AND s.max_at <= coalesce(p_to, 'infinity')
        ORDER BY s.max_at DESC
        LIMIT share) b
      ORDER BY b.max_at DESC
      LIMIT p_blocks) n);
END
$$;

GRANT EXECUTE ON FUNCTION audit_search_since TO trailmark_app;
