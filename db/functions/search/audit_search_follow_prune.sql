-- After retention removed the oldest rows: what is known of them goes too, also from the block and the slices in which
-- the cut lies, and values that no row has any more.
CREATE OR REPLACE FUNCTION audit_search_follow_prune(p_org uuid, p_pruned bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  block bigint;
  slice bigint;
  counted bigint;
BEGIN
  SELECT max(last_seq) INTO block
  FROM audit_search
  WHERE org_id = p_org AND first_seq <= p_pruned AND last_seq > p_pruned;
  DELETE FROM audit_search WHERE org_id = p_org AND first_seq <= p_pruned;
  IF block IS NOT NULL THEN PERFORM audit_search_make(p_org, p_pruned, block, true); END IF;

  SELECT max(last_seq) INTO slice
  FROM audit_tallies
  WHERE org_id = p_org AND first_seq <= p_pruned AND last_seq > p_pruned;
  DELETE FROM audit_tallies WHERE org_id = p_org AND first_seq <= p_pruned;
  DELETE FROM audit_actor_tallies WHERE org_id = p_org AND first_seq <= p_pruned;
  IF slice IS NOT NULL THEN PERFORM audit_search_tally(p_org, p_pruned, slice); END IF;

  SELECT max(last_seq) INTO counted
  FROM audit_kind_counts
  WHERE org_id = p_org AND first_seq <= p_pruned AND last_seq > p_pruned;
  DELETE FROM audit_kind_counts WHERE org_id = p_org AND first_seq <= p_pruned;
  DELETE FROM audit_actor_counts WHERE org_id = p_org AND first_seq <= p_pruned;
  DELETE FROM audit_resource_counts WHERE org_id = p_org AND first_seq <= p_pruned;
  IF counted IS NOT NULL THEN PERFORM audit_search_values(p_org, p_pruned, counted); END IF;
  DELETE FROM audit_actors t
  WHERE t.org_id = p_org
    AND NOT EXISTS (SELECT FROM audit_actor_counts c WHERE c.org_id = p_org AND c.actor_id = t.actor_id);

  DELETE FROM audit_search_terms t
  WHERE t.org_id = p_org
    AND NOT EXISTS (
      SELECT FROM audit_search s
      WHERE s.org_id = p_org AND s.tags @> CASE t.kind
        WHEN 'row' THEN ARRAY[
          audit_search_tag('action:' || split_part(t.value, E'\x1d', 1)),
          audit_search_tag('kind:' || split_part(t.value, E'\x1d', 2))]
        ELSE ARRAY[audit_search_tag(t.kind || ':' || t.value)] END);
END
$$;
