-- Records the distinct values of the rows in (after, through] of which filters give a part, and their kinds. Addresses
-- are too many.
CREATE OR REPLACE FUNCTION audit_search_name(p_org uuid, p_after bigint, p_through bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
  WITH rows AS MATERIALIZED (
    SELECT a.action, a.actor_email AS email,
      audit_search_kind(a.action, a.resource_type, a.actor_type, a.result) AS kind,
      CASE WHEN a.resource_type = 'device' THEN a.resource_name END AS device,
      audit_devices_named(a.details) AS named
    FROM audit_logs a
    WHERE a.org_id = p_org AND a.chain_seq > p_after AND a.chain_seq <= p_through)
  INSERT INTO audit_search_terms (org_id, kind, value)
  SELECT p_org, 'action', action FROM rows GROUP BY 3
  UNION ALL SELECT p_org, 'row', kind FROM rows GROUP BY 3
  UNION ALL SELECT p_org, 'email', email FROM rows WHERE email IS NOT NULL GROUP BY 3
  UNION ALL SELECT p_org, 'device', d.value
  FROM (
    SELECT device AS value FROM rows WHERE device IS NOT NULL
    UNION SELECT unnest(named) FROM rows WHERE named IS NOT NULL) d
  ON CONFLICT DO NOTHING
$$;
