-- Removes checkpoints that later ones contain: all of the last 48 hours stay, before that the last of an hour, after 90
-- days the last of a day. Receipts stay, and what an authority has time-stamped. The only way by which a note leaves.
CREATE OR REPLACE FUNCTION audit_thin_notes(org uuid) RETURNS bigint
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
  WITH old AS (
    SELECT size, signed_at, row_number() OVER (
        PARTITION BY date_trunc(
          CASE WHEN signed_at < now() - interval '90 days' THEN 'day' ELSE 'hour' END, signed_at, 'UTC')
        ORDER BY signed_at DESC, size DESC) AS place
    FROM audit_notes
    WHERE org_id = org AND kind = 'checkpoint' AND signed_at < now() - interval '48 hours'
  ), gone AS (
    DELETE FROM audit_notes n
    USING old o
    WHERE n.org_id = org AND n.kind = 'checkpoint' AND n.size = o.size AND n.signed_at = o.signed_at AND o.place > 1
      AND n.timestamp_token IS NULL
    RETURNING 1
  )
  SELECT count(*) FROM gone
$$;

GRANT EXECUTE ON FUNCTION audit_thin_notes TO trailmark_app;
