-- The oldest time of an event that an organization still keeps, once a run has removed some; NULL before. An event
-- below it that is sent again is not stored again: its first copy may be gone, and with it the key that
-- distinguished the two.
CREATE OR REPLACE FUNCTION device_event_floor(org uuid) RETURNS timestamptz
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
  SELECT p.last_cleanup_at - make_interval(hours => 24 * p.event_days)
  FROM device_log_policies p
  WHERE p.org_id = org AND p.prune_from <= now()
$$;

GRANT EXECUTE ON FUNCTION device_event_floor TO trailmark_app;
