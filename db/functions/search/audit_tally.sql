-- Counts the rows in (after, through] by action, actor type, result, resource type and hour, and by actor and UTC day.
CREATE OR REPLACE FUNCTION audit_tally(p_org uuid, p_after bigint, p_through bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
  INSERT INTO audit_tallies (org_id, first_seq, last_seq, since, action, actor_type, result, resource_type, rows)
  SELECT p_org, p_after + 1, p_through, date_bin('1 hour', a."timestamp", timestamptz '1970-01-01T00:00:00Z'),
    a.action, a.actor_type, a.result, a.resource_type, count(*)
  FROM audit_logs a
  WHERE a.org_id = p_org AND a.chain_seq > p_after AND a.chain_seq <= p_through
  GROUP BY 4, 5, 6, 7, 8;

  INSERT INTO audit_actor_tallies (
    org_id, first_seq, last_seq, since, actor_type, actor_id, raw_id, email, last_at, rows)
  SELECT p_org, p_after + 1, p_through, date_bin('1 day', a."timestamp", timestamptz '1970-01-01T00:00:00Z'),
    a.actor_type, a.actor_id,
    CASE WHEN a.actor_id = '00000000-0000-0000-0000-000000000000' THEN a.details ->> 'rawActorId' END,
    max(a.actor_email), max(a."timestamp"), count(*)
  FROM audit_logs a
  WHERE a.org_id = p_org AND a.chain_seq > p_after AND a.chain_seq <= p_through
  GROUP BY 4, 5, 6, 7
$$;
