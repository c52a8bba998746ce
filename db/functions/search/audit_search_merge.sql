-- Makes one slice of the slices in (after, through] by kind, by actor and by resource: a value takes one row instead of
-- several. Sequences are kept of a value with few rows, as where they were counted.
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
      ('audit_kind_counts', 'action, resource_type, actor_type, result', false),
      ('audit_actor_counts', 'actor_type, actor_id, raw_id, email', true),
      ('audit_resource_counts', 'resource_type, resource_id, resource_name', true)) AS v(name, columns, has_seqs)
  LOOP
    EXECUTE format($sql$
      WITH slices AS (
        DELETE FROM %1$I
        WHERE org_id = $1 AND first_seq > $2 AND last_seq <= $3
        RETURNING *)
      INSERT INTO %1$I (org_id, first_seq, last_seq, %2$s, rows %3$s)
      SELECT $1, $2 + 1, $3, %2$s, sum(rows) %4$s
      FROM slices
      GROUP BY %2$s$sql$, counts.name, counts.columns,
      CASE WHEN counts.has_seqs THEN ', first_at, last_at, seqs' END,
      CASE WHEN counts.has_seqs THEN
        $sql$, min(first_at), max(last_at), CASE WHEN sum(rows) <= 2048 THEN string_agg(seqs, '') END$sql$ END)
    USING p_org, p_after, p_through;
  END LOOP;
END
$$;
