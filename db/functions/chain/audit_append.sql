-- Entry point of the batch writer: one array per column, up to some hundred rows of any organizations, each with id and
-- timestamp. Known ids are skipped without a number. Returns the positions of rows whose id another entry has, which
-- are not stored. Call in autocommit: after an earlier write in the same transaction, or if an id already exists,
-- audit_append_unsealed() leaves the sealing to the commit (two such transactions could deadlock otherwise).
CREATE OR REPLACE FUNCTION audit_append(
  p_id uuid[], p_org_id uuid[], p_timestamp timestamptz[], p_actor_type text[], p_actor_id uuid[], p_actor_email text[],
  p_action text[], p_resource_type text[], p_resource_id uuid[], p_resource_name text[], p_details text[],
  p_ip_address text[], p_user_agent text[], p_result text[], p_error_message text[]
) RETURNS integer[]
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
SET enable_seqscan = off
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  n int := cardinality(p_id);
  -- The chain being extended: its position in orgs, its last number and checksum.
  at_org int;
  org uuid;
  seq bigint;
  link text;
  prev text;
  ms bigint;
  details text;
  -- Columns of each row.
  docs jsonb[];
  seqs bigint[];
  links text[];
  prevs text[];
  -- The heads before and after.
  orgs uuid[];
  old_seqs bigint[];
  new_seqs bigint[];
  new_links text[];
BEGIN
  IF coalesce(n, 0) = 0 THEN RETURN '{}'; END IF;
  IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
    RAISE EXCEPTION 'audit_logs takes rows in READ COMMITTED transactions only, this one is %',
        upper(current_setting('transaction_isolation'))
      USING ERRCODE = 'feature_not_supported',
        HINT = 'A chain is linked to its newest row, which an older snapshot does not show.';
  END IF;
  IF (n, n, n, n, n, n, n, n, n, n, n, n, n, n) IS DISTINCT FROM (
    cardinality(p_org_id), cardinality(p_timestamp), cardinality(p_actor_type), cardinality(p_actor_id),
    cardinality(p_actor_email), cardinality(p_action), cardinality(p_resource_type), cardinality(p_resource_id),
    cardinality(p_resource_name), cardinality(p_details), cardinality(p_ip_address), cardinality(p_user_agent),
    cardinality(p_result), cardinality(p_error_message)) THEN
    RAISE EXCEPTION 'audit_append: every column needs the same number of values'
      USING ERRCODE = 'array_subscript_error';
  END IF;
  IF pg_current_xact_id_if_assigned() IS NOT NULL THEN
    RETURN audit_append_unsealed(
      p_id, p_org_id, p_timestamp, p_actor_type, p_actor_id, p_actor_email, p_action, p_resource_type,
      p_resource_id, p_resource_name, p_details, p_ip_address, p_user_agent, p_result, p_error_message);
  END IF;

  -- Locks in a separate statement, then the heads.
  PERFORM pg_advisory_xact_lock(k)
  FROM (SELECT DISTINCT audit_lock_key(o) AS k FROM unnest(p_org_id) AS o ORDER BY k OFFSET 0) keys;
  SELECT array_agg(o.org), array_agg(coalesce(h.seq, 0)), array_agg(h.checksum::text) INTO orgs, old_seqs, new_links
  FROM (SELECT DISTINCT u AS org FROM unnest(p_org_id) AS u OFFSET 0) o
  LEFT JOIN LATERAL (
    SELECT c.seq, c.checksum FROM audit_chain_heads c WHERE c.org_id = o.org ORDER BY c.seq DESC LIMIT 1) h ON true;
  new_seqs := old_seqs;
  docs := array_fill(NULL::jsonb, ARRAY[n]);
  seqs := array_fill(NULL::bigint, ARRAY[n]);
  links := array_fill(NULL::text, ARRAY[n]);
  prevs := links;

  -- Link in memory. Subscripts, here and in the INSERT: each of fifteen unnests would go through its own tuple store.
  FOR i IN 1..n LOOP
    IF org IS DISTINCT FROM p_org_id[i] THEN
      IF at_org IS NOT NULL THEN
        new_seqs[at_org] := seq;
        new_links[at_org] := link;
      END IF;
      org := p_org_id[i];
      at_org := array_position(orgs, org);
      seq := new_seqs[at_org];
      link := new_links[at_org];
    END IF;
    -- An assignment to varchar(n) cuts surplus blanks silently: the hash would be of another text than the row's.
    IF (octet_length(p_actor_email[i]) > 255 AND char_length(p_actor_email[i]) > 255)
      OR (octet_length(p_action[i]) > 100 AND char_length(p_action[i]) > 100)
      OR (octet_length(p_resource_type[i]) > 50 AND char_length(p_resource_type[i]) > 50)
      OR (octet_length(p_resource_name[i]) > 255 AND char_length(p_resource_name[i]) > 255)
      OR (octet_length(p_ip_address[i]) > 45 AND char_length(p_ip_address[i]) > 45) THEN
      RAISE EXCEPTION 'audit_append: a value is longer than its column' USING ERRCODE = 'string_data_right_truncation';
    END IF;
    docs[i] := p_details[i]::jsonb;
    details := docs[i]::text;
    ms := audit_ms(p_timestamp[i]::timestamptz(3));
    prev := link;
    seq := seq + 1;
    link := audit_link(
      prev, seq,
      audit_lengths(
        p_id[i], org, ms, p_actor_type[i], p_actor_id[i], p_actor_email[i], p_action[i], p_resource_type[i],
        p_resource_id[i], p_resource_name[i], details, p_ip_address[i], p_user_agent[i], p_result[i],
        p_error_message[i]),
      audit_values(
        p_id[i], org, ms, p_actor_type[i], p_actor_id[i], p_actor_email[i], p_action[i], p_resource_type[i],
        p_resource_id[i], p_resource_name[i], details, p_ip_address[i], p_user_agent[i], p_result[i],
        p_error_message[i]));
    seqs[i] := seq;
    links[i] := link;
    prevs[i] := prev;
  END LOOP;
  new_seqs[at_org] := seq;
  new_links[at_org] := link;

  -- Store sealed rows and their heads.
  BEGIN
    INSERT INTO audit_logs (
      id, org_id, "timestamp", actor_type, actor_id, actor_email, action, resource_type, resource_id, resource_name,
      details, ip_address, user_agent, result, error_message, chain_seq, checksum, prev_checksum, seal_tx)
    SELECT p_id[k], p_org_id[k], p_timestamp[k], p_actor_type[k], p_actor_id[k], p_actor_email[k], p_action[k],
      p_resource_type[k], p_resource_id[k], p_resource_name[k], docs[k], p_ip_address[k], p_user_agent[k], p_result[k],
      p_error_message[k], seqs[k], links[k], prevs[k], NULL
    FROM generate_series(1, n) AS k;
    PERFORM audit_move_heads(orgs, old_seqs, new_seqs, new_links);
    RETURN '{}';
  EXCEPTION WHEN unique_violation THEN
    NULL; -- An id is already there, or twice in the batch.
  END;
  RETURN audit_append_unsealed(
    p_id, p_org_id, p_timestamp, p_actor_type, p_actor_id, p_actor_email, p_action, p_resource_type,
    p_resource_id, p_resource_name, p_details, p_ip_address, p_user_agent, p_result, p_error_message);
END
$$;

GRANT EXECUTE ON FUNCTION audit_append TO trailmark_app;
