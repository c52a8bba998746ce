-- The canonical payload, version 1: lengths of all fields after chainSeq. A plain SQL body without settings, which the
-- planner inlines: one definition serves every path at the speed of an expression. (concat() would read better, but
-- takes twice the time in the packaged PostgreSQL.)
CREATE OR REPLACE FUNCTION audit_lengths(
  id uuid, org_id uuid, ms bigint, actor_type text, actor_id uuid, actor_email text, action text, resource_type text,
  resource_id uuid, resource_name text, details text, ip_address text, user_agent text, result text, error_message text
) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '36,36,' || octet_length(ms::text)::text
  || ',' || octet_length(actor_type)::text
  || ',36,' || coalesce(octet_length(actor_email)::text, '-')
  || ',' || octet_length(action)::text
  || ',' || octet_length(resource_type)::text
  || CASE WHEN resource_id IS NULL THEN ',-,' ELSE ',36,' END || coalesce(octet_length(resource_name)::text, '-')
  || ',' || coalesce(octet_length(details)::text, '-')
  || ',' || coalesce(octet_length(ip_address)::text, '-')
  || ',' || coalesce(octet_length(user_agent)::text, '-')
  || ',' || octet_length(result)::text
  || ',' || coalesce(octet_length(error_message)::text, '-');

GRANT EXECUTE ON FUNCTION audit_lengths TO trailmark_app, trailmark_audit_admin;
