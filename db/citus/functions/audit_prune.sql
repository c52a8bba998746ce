-- audit_prune() where the tables are distributed: runs on the node that holds the organization's shards. What it checks,
-- stores and refuses is the same; no statement names both the rows that go and a distributed table, because Citus does
-- not plan such a one.
CREATE OR REPLACE FUNCTION audit_prune() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  o record;
  head_seq bigint;
  through bigint;
  days int;
  last_checksum text;
  tile_start bigint;
  zeroed bigint;
  old_edge bytea;
  leaves bytea;
BEGIN
  FOR o IN
    SELECT org_id, count(*) AS n, count(chain_seq) AS sealed, min(chain_seq) AS first, max(chain_seq) AS last,
      max(least("timestamp", sealed_at)) AS newest
    FROM pruned
    GROUP BY org_id
    ORDER BY audit_lock_key(org_id)
  LOOP
    PERFORM pg_advisory_xact_lock(audit_lock_key(o.org_id));
    SELECT h.seq, h.pruned_through_seq INTO head_seq, through
    FROM audit_chain_heads h
    WHERE h.org_id = o.org_id
    ORDER BY h.seq DESC
    LIMIT 1
    FOR NO KEY UPDATE;
    SELECT p.retention_days INTO days FROM audit_retention_policies p WHERE p.org_id = o.org_id;

    IF days IS NULL THEN
      RAISE EXCEPTION 'audit_logs: organization % has no retention policy, DELETE refused', o.org_id
        USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF o.sealed <> o.n OR o.first IS DISTINCT FROM through + 1 OR o.last - o.first + 1 <> o.n THEN
      RAISE EXCEPTION 'audit_logs: only the contiguous oldest rows of a chain may go, DELETE refused'
        USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF o.newest >= now() - make_interval(hours => 24 * days) THEN
      RAISE EXCEPTION 'audit_logs: a row is still inside the retention window of % days, DELETE refused', days
        USING ERRCODE = 'insufficient_privilege';
    END IF;

    PERFORM FROM audit_notes n WHERE n.org_id = o.org_id AND n.kind = 'receipt' AND n.size >= o.last LIMIT 1;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'audit_logs: no receipt permits to remove rows through %, DELETE refused', o.last
        USING ERRCODE = 'insufficient_privilege';
    END IF;

    tile_start := o.last / 256 * 256;
    SELECT t.edge, t.zero_through INTO old_edge, zeroed FROM audit_trees t WHERE t.org_id = o.org_id;
    IF zeroed IS NULL OR tile_start > zeroed THEN
      PERFORM FROM audit_tree_tiles f WHERE f.org_id = o.org_id AND f.level = 0 AND f.idx = tile_start / 256 - 1;
      IF NOT FOUND OR zeroed IS NULL THEN
        RAISE EXCEPTION 'audit_logs: the tree does not hold the rows through % yet, DELETE refused', o.last
          USING ERRCODE = 'insufficient_privilege';
      END IF;
    END IF;
    SELECT coalesce(string_agg(sha256('\x00' || decode(p.checksum, 'hex')), '' ORDER BY p.chain_seq), '') INTO leaves
    FROM pruned p
    WHERE p.org_id = o.org_id AND p.chain_seq > tile_start;
    IF through <= tile_start THEN old_edge := '';
    ELSE
      old_edge := coalesce(old_edge, decode(repeat(
        '7f9c9e31ac8256ca2f258583df262dbc7d6f68f2a03043d5c99a4ae5a7396ce9', (through - tile_start)::int), 'hex'));
    END IF;
    UPDATE audit_trees SET edge = old_edge || leaves WHERE org_id = o.org_id;

    SELECT p.checksum INTO last_checksum FROM pruned p WHERE p.org_id = o.org_id AND p.chain_seq = o.last;
    UPDATE audit_chain_heads
    SET pruned_through_seq = o.last, pruned_through_checksum = last_checksum
    WHERE org_id = o.org_id AND seq = head_seq;
    INSERT INTO audit_logs (org_id, actor_type, actor_id, action, resource_type, resource_id, details, result)
    VALUES (
      o.org_id, 'system', '00000000-0000-0000-0000-000000000000', 'audit.retention.prune', 'organization', o.org_id,
      jsonb_build_object(
        'firstSeq', o.first, 'lastSeq', o.last, 'count', o.n, 'lastChecksum', last_checksum, 'retentionDays', days),
      'success');
  END LOOP;
  RETURN NULL;
END
$$;
