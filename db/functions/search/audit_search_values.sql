-- Counts the rows in (after, through] by kind, by actor and by resource, as totals of texts and filters need it.
CREATE OR REPLACE FUNCTION audit_search_values(p_org uuid, p_after bigint, p_through bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
  INSERT INTO audit_kind_counts (org_id, first_seq, last_seq, action, resource_type, actor_type, result, rows)
  SELECT p_org, p_after + 1, p_through, a.action, a.resource_type, a.actor_type, a.result, count(*)
  FROM audit_logs a
  WHERE a.org_id = p_org AND a.chain_seq > p_after AND a.chain_seq <= p_through
  GROUP BY 4, 5, 6, 7;

  INSERT INTO audit_actor_counts (org_id, first_seq, last_seq, actor_type, actor_id, raw_id, email, rows)
  SELECT p_org, p_after + 1, p_through, a.actor_type, a.actor_id, a.details ->> 'rawActorId', a.actor_email, count(*)
  FROM audit_logs a
  WHERE a.org_id = p_org AND a.chain_seq > p_after AND a.chain_seq <= p_through
  GROUP BY 4, 5, 6, 7;

  INSERT INTO audit_resource_counts (org_id, first_seq, last_seq, resource_type, resource_id, resource_name, rows)
  SELECT p_org, p_after + 1, p_through, a.resource_type, a.resource_id, a.resource_name, count(*)
  FROM audit_logs a
  WHERE a.org_id = p_org AND a.chain_seq > p_after AND a.chain_seq <= p_through
  GROUP BY 4, 5, 6
$$;
