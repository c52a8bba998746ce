-- audit_append() where it cannot seal: inserts what is new and leaves the sealing to the commit's trigger.
CREATE OR REPLACE FUNCTION audit_append_unsealed(
  p_id uuid[], p_org_id uuid[], p_timestamp timestamptz[], p_actor_type text[], p_actor_id uuid[], p_actor_email text[],
  p_action text[], p_resource_type text[], p_resource_id uuid[], p_resource_name text[], p_details text[],
  p_ip_address text[], p_user_agent text[], p_result text[], p_error_message text[]
) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
SET enable_seqscan = off
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  inserted int;
BEGIN
  INSERT INTO audit_logs (
    id, org_id, "timestamp", actor_type, actor_id, actor_email, action, resource_type, resource_id, resource_name,
    details, ip_address, user_agent, result, error_message)
  SELECT p_id[k], p_org_id[k], p_timestamp[k], p_actor_type[k], p_actor_id[k], p_actor_email[k], p_action[k],
    p_resource_type[k], p_resource_id[k], p_resource_name[k], p_details[k]::jsonb, p_ip_address[k], p_user_agent[k],
    p_result[k], p_error_message[k]
  FROM generate_series(1, cardinality(p_id)) AS k
  ON CONFLICT (id) DO NOTHING;
  GET DIAGNOSTICS inserted = ROW_COUNT;

  IF EXISTS (
    SELECT FROM unnest(p_id, p_org_id) AS u(id, org_id)
    LEFT JOIN LATERAL (SELECT a.org_id FROM audit_logs a WHERE a.id = u.id LIMIT 1) known ON true
    WHERE known.org_id IS DISTINCT FROM u.org_id) THEN
    RAISE EXCEPTION 'audit_append: an id belongs to another organization' USING ERRCODE = 'unique_violation';
  END IF;
  RETURN inserted;
END
$$;
