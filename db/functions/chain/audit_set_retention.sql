-- Sets the retention of an organization in days, and writes its audit entry in the same transaction: the application
-- cannot change a policy otherwise. Retention only removes under a window set by such an entry, or the initial 365
-- days. Checks the caller's reach here, because this function's owner sees every row. The actor and origin are passed
-- as members of an entry.
CREATE OR REPLACE FUNCTION audit_set_retention(org uuid, days int, entry jsonb) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  old int;
BEGIN
  IF current_setting('trailmark.scope', true) IS DISTINCT FROM 'system'
    AND org <> ALL (coalesce(NULLIF(current_setting('trailmark.org_ids', true), ''), '{}')::uuid[]) THEN
    RAISE EXCEPTION 'audit_retention_policies: organization % is out of reach', org
      USING ERRCODE = 'insufficient_privilege';
  END IF;
  SELECT p.retention_days INTO old FROM audit_retention_policies p WHERE p.org_id = org FOR UPDATE;
  INSERT INTO audit_retention_policies AS p (org_id, retention_days)
  VALUES (org, days)
  ON CONFLICT (org_id) DO UPDATE SET retention_days = EXCLUDED.retention_days, updated_at = now();
  INSERT INTO audit_logs (
    id, org_id, actor_type, actor_id, actor_email, action, resource_type, resource_id, resource_name, details,
    ip_address, user_agent, result)
  VALUES (
    (entry->>'id')::uuid, org, entry->>'actorType', (entry->>'actorId')::uuid, entry->>'actorEmail',
    'organization.audit_retention.update', 'organization', org, entry->>'resourceName',
    jsonb_build_object(
      'before', jsonb_build_object('configured', old IS NOT NULL, 'retentionDays', old),
      'after', jsonb_build_object('configured', true, 'retentionDays', days)),
    entry->>'ipAddress', entry->>'userAgent', 'success');
END
$$;

GRANT EXECUTE ON FUNCTION audit_set_retention TO trailmark_app;
