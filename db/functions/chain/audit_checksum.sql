-- Expected checksum of a stored row of audit_logs, given its prev_checksum and chain_seq.
CREATE OR REPLACE FUNCTION audit_checksum(r record) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  ms bigint := audit_ms(r."timestamp");
  details text := r.details::text;
BEGIN
  RETURN audit_link(
    r.prev_checksum, r.chain_seq,
    audit_lengths(
      r.id, r.org_id, ms, r.actor_type, r.actor_id, r.actor_email, r.action, r.resource_type,
      r.resource_id, r.resource_name, details, r.ip_address, r.user_agent, r.result, r.error_message),
    audit_values(
      r.id, r.org_id, ms, r.actor_type, r.actor_id, r.actor_email, r.action, r.resource_type,
      r.resource_id, r.resource_name, details, r.ip_address, r.user_agent, r.result, r.error_message));
END
$$;

GRANT EXECUTE ON FUNCTION audit_checksum TO trailmark_app, trailmark_audit_admin;
