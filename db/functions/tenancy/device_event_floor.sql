-- Oldest event time still kept by an organization after a removal; NULL before any. Older events that are sent again
-- are not stored, because their first copy, and with it the deduplication key, may be gone.
CREATE OR REPLACE FUNCTION device_event_floor(org uuid) RETURNS timestamptz
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
  SELECT p.last_cleanup_at - make_interval(hours => 24 * p.event_days)
  FROM device_log_policies p
  WHERE p.org_id = org AND p.prune_from <= now()
$$;

GRANT EXECUTE ON FUNCTION device_event_floor TO trailmark_app;
