-- Counts the rows in (after, through] by kind, by actor and by resource, as totals of texts and filters need it. Of an
-- actor or resource with few of them stand beside: their span of time and their sequences, each by its last three bytes
-- (no slice is as long as these can count), so that a page of them is read by key. Who acted is named first: a count's
-- actor is always among them.
CREATE OR REPLACE FUNCTION audit_search_values(p_org uuid, p_after bigint, p_through bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
  INSERT INTO audit_kind_counts (org_id, first_seq, last_seq, action, resource_type, actor_type, result, rows)
  SELECT p_org, p_after + 1, p_through, a.action, a.resource_type, a.actor_type, a.result, count(*)
  FROM audit_logs a
  WHERE a.org_id = p_org AND a.chain_seq > p_after AND a.chain_seq <= p_through
  GROUP BY 4, 5, 6, 7;

  WITH counts AS (
    INSERT INTO audit_actor_counts (
      org_id, first_seq, last_seq, actor_type, actor_id, raw_id, email, rows, first_at, last_at, seqs)
    SELECT p_org, p_after + 1, p_through, a.actor_type, a.actor_id, a.details ->> 'rawActorId', a.actor_email, count(*),
      min(a."timestamp"), max(a."timestamp"),
      CASE WHEN count(*) <= 2048 THEN string_agg(substr(int8send(a.chain_seq), 6), '') END
    FROM audit_logs a
    WHERE a.org_id = p_org AND a.chain_seq > p_after AND a.chain_seq <= p_through
    GROUP BY 4, 5, 6, 7
    RETURNING actor_type, actor_id, raw_id, email)
  INSERT INTO audit_actors (org_id, actor_id, name_hash, actor_type, raw_id, email)
  SELECT p_org, actor_id, md5(jsonb_build_array(actor_type, raw_id, email)::text)::uuid, actor_type, raw_id, email
  FROM counts
  ON CONFLICT DO NOTHING;

  INSERT INTO audit_resource_counts (
    org_id, first_seq, last_seq, resource_type, resource_id, resource_name, rows, first_at, last_at, seqs)
  SELECT p_org, p_after + 1, p_through, a.resource_type, a.resource_id, a.resource_name, count(*),
    min(a."timestamp"), max(a."timestamp"),
    CASE WHEN count(*) <= 2048 THEN string_agg(substr(int8send(a.chain_seq), 6), '') END
  FROM audit_logs a
  WHERE a.org_id = p_org AND a.chain_seq > p_after AND a.chain_seq <= p_through
  GROUP BY 4, 5, 6
$$;
