-- Makes one slice of the slices in (after, through] by kind, by actor and by resource: a value takes one row instead of
-- several.
CREATE OR REPLACE FUNCTION audit_search_merge(p_org uuid, p_after bigint, p_through bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  counts record;
BEGIN
  FOR counts IN
    SELECT *
    FROM (VALUES
      ('audit_kind_counts', 'action, resource_type, actor_type, result'),
      ('audit_actor_counts', 'actor_type, actor_id, raw_id, email'),
      ('audit_resource_counts', 'resource_type, resource_id, resource_name')) AS v(name, columns)
  LOOP
    EXECUTE format($sql$
      WITH slices AS (
        DELETE FROM %1$I
        WHERE org_id = $1 AND first_seq > $2 AND last_seq <= $3
        RETURNING *)
      INSERT INTO %1$I (org_id, first_seq, last_seq, %2$s, rows)
      SELECT $1, $2 + 1, $3, %2$s, sum(rows)
      FROM slices
      GROUP BY %2$s$sql$, counts.name, counts.columns)
    USING p_org, p_after, p_through;
  END LOOP;
END
$$;
