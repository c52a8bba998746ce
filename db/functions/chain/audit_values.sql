-- The canonical payload, version 1: values after chainSeq. The parentheses avoid copying long details at every step.
CREATE OR REPLACE FUNCTION audit_values(
  id uuid, org_id uuid, ms bigint, actor_type text, actor_id uuid, actor_email text, action text, resource_type text,
  resource_id uuid, resource_name text, details text, ip_address text, user_agent text, result text, error_message text
) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id::text || org_id::text || ms::text || actor_type || actor_id::text || coalesce(actor_email, '')
  || action || resource_type || coalesce(resource_id::text, '') || coalesce(resource_name, '') || coalesce(details, '')
  || (coalesce(ip_address, '') || coalesce(user_agent, '') || result || coalesce(error_message, ''));

GRANT EXECUTE ON FUNCTION audit_values TO trailmark_app, trailmark_audit_admin;
