-- Limits a DELETE: for each organization with a policy, only the oldest rows of its chain without a gap, each past the
-- window by its timestamp or its sealing, so that a fast clock keeps nothing indefinitely. Everything else is undone.
-- Requires a signed receipt; this checks its existence, the verifier its signature. The head stores the progress, a row
-- for readers is added to the chain, and leaf hashes removed from the last, unfinished tile are kept, so that the tree
-- continues. On a cluster it runs on the organization's node, where no statement may name both the deleted rows and a
-- distributed table.
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
  taken bytea;
BEGIN
  FOR o IN
    SELECT org_id, count(*) AS n, count(chain_seq) AS sealed, min(chain_seq) AS first, max(chain_seq) AS last,
      max(least("timestamp", sealed_at)) AS newest
    FROM pruned
    GROUP BY org_id
    ORDER BY audit_lock_key(org_id)
  LOOP
    -- All of the rows is looked at before writers have to wait.
    tile_start := o.last / 256 * 256;
    SELECT coalesce(string_agg(sha256('\x00' || decode(p.checksum, 'hex')), '' ORDER BY p.chain_seq)
        FILTER (WHERE p.chain_seq > tile_start), ''),
      max(p.checksum) FILTER (WHERE p.chain_seq = o.last)
    INTO taken, last_checksum
    FROM pruned p
    WHERE p.org_id = o.org_id AND p.chain_seq >= tile_start;
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

    UPDATE audit_trees t
    SET edge =
      CASE WHEN through > tile_start THEN t.edge ELSE '' END || taken
    WHERE t.org_id = o.org_id
      AND (tile_start = 0 OR EXISTS (
        SELECT FROM audit_tree_tiles f WHERE f.org_id = o.org_id AND f.level = 0 AND f.idx = tile_start / 256 - 1));
    IF NOT FOUND THEN
      RAISE EXCEPTION 'audit_logs: the tree does not hold the rows through % yet, DELETE refused', o.last
        USING ERRCODE = 'insufficient_privilege';
    END IF;

    UPDATE audit_chain_heads h
    SET pruned_through_seq = o.last, pruned_through_checksum = last_checksum
    WHERE h.org_id = o.org_id AND h.seq = head_seq;
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
