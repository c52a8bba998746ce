-- Records the distinct values of the rows in (after, through] of which filters give a part. Addresses are too many.
CREATE OR REPLACE FUNCTION audit_search_name(p_org uuid, p_after bigint, p_through bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
  INSERT INTO audit_search_terms (org_id, kind, value)
  SELECT DISTINCT p_org, v.kind, v.value
  FROM audit_logs a,
    LATERAL (
      VALUES ('action', a.action), ('email', a.actor_email),
        ('device', CASE WHEN a.resource_type = 'device' THEN a.resource_name END)
      UNION ALL
      SELECT 'device', named FROM unnest(audit_devices_named(a.details)) AS named) AS v(kind, value)
  WHERE a.org_id = p_org AND a.chain_seq > p_after AND a.chain_seq <= p_through AND v.value IS NOT NULL
  ON CONFLICT DO NOTHING
$$;
