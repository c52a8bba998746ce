-- audit_chain_health() of every node and missing guards of its shards, as rows: a node, whether it answered, and its
-- faults prefixed with its name. Runs as the caller, who may log in on the nodes. Only the coordinator has the table
-- organizations with its triggers.
CREATE OR REPLACE FUNCTION audit_cluster_health() RETURNS TABLE (node text, answers boolean, faults text[])
LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
  RETURN QUERY
  SELECT n.nodename || ':' || n.nodeport, r.success,
    CASE WHEN r.success THEN ARRAY(
      SELECT format('%s:%s: %s', n.nodename, n.nodeport, f)
      FROM unnest(r.result::text[]) AS f
      WHERE n.groupid = 0 OR f NOT LIKE 'trigger % on organizations is missing or disabled') ELSE '{}' END
  FROM run_command_on_all_nodes('SELECT audit_chain_health() || audit_shard_faults()') r
  JOIN pg_dist_node n ON n.nodeid = r.nodeid;
END
$$;

GRANT EXECUTE ON FUNCTION audit_cluster_health TO trailmark_app, trailmark_audit_admin, CURRENT_USER;
