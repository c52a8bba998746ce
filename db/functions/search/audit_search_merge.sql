-- Makes one slice of the slices in (after, through] by kind, by actor and by resource: a value takes one row instead of
-- several.
CREATE OR REPLACE FUNCTION audit_search_merge(p_org uuid, p_after bigint, p_through bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
  WITH slices AS (
    DELETE FROM audit_kind_counts
    WHERE org_id = p_org AND first_seq > p_after AND last_seq <= p_through
    RETURNING *)
  INSERT INTO audit_kind_counts (org_id, first_seq, last_seq, action, resource_type, actor_type, result, rows)
  SELECT p_org, p_after + 1, p_through, action, resource_type, actor_type, result, sum(rows)
  FROM slices
  GROUP BY 4, 5, 6, 7;

  WITH slices AS (
    DELETE FROM audit_actor_counts
    WHERE org_id = p_org AND first_seq > p_after AND last_seq <= p_through
    RETURNING *)
  INSERT INTO audit_actor_counts (org_id, first_seq, last_seq, actor_type, actor_id, raw_id, email, rows)
  SELECT p_org, p_after + 1, p_through, actor_type, actor_id, raw_id, email, sum(rows)
  FROM slices
  GROUP BY 4, 5, 6, 7;

  WITH slices AS (
    DELETE FROM audit_resource_counts
    WHERE org_id = p_org AND first_seq > p_after AND last_seq <= p_through
    RETURNING *)
  INSERT INTO audit_resource_counts (org_id, first_seq, last_seq, resource_type, resource_id, resource_name, rows)
  SELECT p_org, p_after + 1, p_through, resource_type, resource_id, resource_name, sum(rows)
  FROM slices
  GROUP BY 4, 5, 6
$$;
