-- audit_append() without sealing: inserts new rows and leaves the sealing to the commit's trigger. A known id is the
-- same event if its content is equal, except for the time and the key's name, which a retry may change.
CREATE OR REPLACE FUNCTION audit_append_unsealed(
  p_id uuid[], p_org_id uuid[], p_timestamp timestamptz[], p_actor_type text[], p_actor_id uuid[], p_actor_email text[],
  p_action text[], p_resource_type text[], p_resource_id uuid[], p_resource_name text[], p_details text[],
  p_ip_address text[], p_user_agent text[], p_result text[], p_error_message text[]
) RETURNS integer[]
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
SET enable_seqscan = off
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  inserted int := 0;
  taken int[];
BEGIN
  -- One command a row: they are sealed in the order of their commands, rows of one command by their place in the table.
  FOR k IN 1..cardinality(p_id) LOOP
    INSERT INTO audit_logs (
      id, org_id, "timestamp", actor_type, actor_id, actor_email, action, resource_type, resource_id, resource_name,
      details, ip_address, user_agent, result, error_message)
    VALUES (p_id[k], p_org_id[k], p_timestamp[k], p_actor_type[k], p_actor_id[k], p_actor_email[k], p_action[k],
      p_resource_type[k], p_resource_id[k], p_resource_name[k], p_details[k]::jsonb, p_ip_address[k], p_user_agent[k],
      p_result[k], p_error_message[k])
    ON CONFLICT (id) DO NOTHING;
    IF FOUND THEN inserted := inserted + 1; END IF;
  END LOOP;

  IF inserted = cardinality(p_id) THEN RETURN '{}'; END IF;
  SELECT coalesce(array_agg(k ORDER BY k), '{}') INTO taken
  FROM generate_series(1, cardinality(p_id)) AS k
  LEFT JOIN LATERAL (SELECT known.* FROM audit_logs known WHERE known.id = p_id[k] LIMIT 1) a ON true
  WHERE (
    a.org_id, a.actor_type, a.actor_id, a.actor_email, a.action, a.resource_type, a.resource_id, a.resource_name,
    a.details #- '{submittedBy,name}', a.ip_address, a.user_agent, a.result, a.error_message)
    IS DISTINCT FROM (
    p_org_id[k], p_actor_type[k], p_actor_id[k], p_actor_email[k], p_action[k], p_resource_type[k], p_resource_id[k],
    p_resource_name[k], p_details[k]::jsonb #- '{submittedBy,name}', p_ip_address[k], p_user_agent[k], p_result[k],
    p_error_message[k]);
  RETURN taken;
END
$$;
