-- Only the retention role deletes, and only with the setting that declares the intention. Members count if they inherit
-- the role; a superuser, a member of every role, does not. Runs as the caller.
CREATE OR REPLACE FUNCTION audit_guard_delete() RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
  IF NOT pg_has_role(current_user, 'trailmark_audit_admin', 'USAGE')
    OR (SELECT r.rolsuper FROM pg_roles r WHERE r.rolname = current_user) THEN
    RAISE EXCEPTION 'audit_logs is append-only: DELETE refused' USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF current_setting('trailmark.prune', true) IS DISTINCT FROM 'on' THEN
    RAISE EXCEPTION 'audit_logs is append-only: DELETE refused without the setting trailmark.prune'
      USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NULL;
END
$$;
