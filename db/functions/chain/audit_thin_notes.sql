-- Removes checkpoints contained in later ones: keeps all of the last 48 hours, then the last of each hour, after 90
-- days the last of each day. Receipts and time-stamped notes stay. The only way to remove a note. Each statement names
-- the organization, so that none leaves its node.
CREATE OR REPLACE FUNCTION audit_thin_notes(org uuid) RETURNS bigint
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  gone record;
  thinned bigint := 0;
BEGIN
  FOR gone IN
    SELECT o.size, o.signed_at
    FROM (
      SELECT n.size, n.signed_at, row_number() OVER (
          PARTITION BY date_trunc(
            CASE WHEN n.signed_at < now() - interval '90 days' THEN 'day' ELSE 'hour' END, n.signed_at, 'UTC')
          ORDER BY n.signed_at DESC, n.size DESC) AS place
      FROM audit_notes n
      WHERE n.org_id = org AND n.kind = 'checkpoint' AND n.signed_at < now() - interval '48 hours') o
    WHERE o.place > 1
  LOOP
    DELETE FROM audit_notes n
    WHERE n.org_id = org AND n.kind = 'checkpoint' AND n.size = gone.size AND n.signed_at = gone.signed_at
      AND n.timestamp_token IS NULL;
    IF FOUND THEN thinned := thinned + 1; END IF;
  END LOOP;
  RETURN thinned;
END
$$;

GRANT EXECUTE ON FUNCTION audit_thin_notes TO trailmark_app;
