-- audit_append() for one organization on a cluster: runs on the node with the organization's shards, in its own
-- transaction, so that lock, head and rows are in one place. Checks and hashed bytes equal those of audit_append().
-- Known ids of the organization are skipped without a number; an id of another organization cannot be detected here.
-- Returns the positions of rows whose id another entry has.
CREATE OR REPLACE FUNCTION audit_append_org(
  p_org uuid, p_id uuid[], p_timestamp timestamptz[], p_actor_type text[], p_actor_id uuid[], p_actor_email text[],
  p_action text[], p_resource_type text[], p_resource_id uuid[], p_resource_name text[], p_details text[],
  p_ip_address text[], p_user_agent text[], p_result text[], p_error_message text[]
) RETURNS integer[]
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  n int := coalesce(cardinality(p_id), 0);
  old_seq bigint;
  seq bigint;
  link text;
  prev text;
  ms bigint;
  details text;
  known uuid[];
  taken int[];
  -- The rows that are new: their places in the arrays, and what each gets.
  places int[] := '{}';
  docs jsonb[] := array_fill(NULL::jsonb, ARRAY[n]);
  seqs bigint[] := '{}';
  links text[] := '{}';
  prevs text[] := '{}';
BEGIN
  IF n = 0 THEN RETURN '{}'; END IF;
  IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
    RAISE EXCEPTION 'audit_logs takes rows in READ COMMITTED transactions only, this one is %',
        upper(current_setting('transaction_isolation'))
      USING ERRCODE = 'feature_not_supported',
        HINT = 'A chain is linked to its newest row, which an older snapshot does not show.';
  END IF;
  IF (n, n, n, n, n, n, n, n, n, n, n, n, n) IS DISTINCT FROM (
    cardinality(p_timestamp), cardinality(p_actor_type), cardinality(p_actor_id), cardinality(p_actor_email),
    cardinality(p_action), cardinality(p_resource_type), cardinality(p_resource_id), cardinality(p_resource_name),
    cardinality(p_details), cardinality(p_ip_address), cardinality(p_user_agent), cardinality(p_result),
    cardinality(p_error_message)) THEN
    RAISE EXCEPTION 'audit_append_org: every column needs the same number of values'
      USING ERRCODE = 'array_subscript_error';
  END IF;

  -- The lock in a separate statement, then the head.
  PERFORM pg_advisory_xact_lock(audit_lock_key(p_org));
  SELECT h.seq, h.checksum INTO old_seq, link
  FROM audit_chain_heads h
  WHERE h.org_id = p_org
  ORDER BY h.seq DESC
  LIMIT 1;
  seq := coalesce(old_seq, 0);
  SELECT coalesce(array_agg(a.id), '{}') INTO known FROM audit_logs a WHERE a.org_id = p_org AND a.id = ANY (p_id);

  FOR i IN 1..n LOOP
    CONTINUE WHEN p_id[i] = ANY (known);
    known := known || p_id[i];
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
        p_id[i], p_org, ms, p_actor_type[i], p_actor_id[i], p_actor_email[i], p_action[i], p_resource_type[i],
        p_resource_id[i], p_resource_name[i], details, p_ip_address[i], p_user_agent[i], p_result[i],
        p_error_message[i]),
      audit_values(
        p_id[i], p_org, ms, p_actor_type[i], p_actor_id[i], p_actor_email[i], p_action[i], p_resource_type[i],
        p_resource_id[i], p_resource_name[i], details, p_ip_address[i], p_user_agent[i], p_result[i],
        p_error_message[i]));
    places := places || i;
    seqs := seqs || seq;
    links := links || link;
    prevs := prevs || prev;
  END LOOP;
  IF cardinality(places) > 0 THEN
    INSERT INTO audit_logs (
      id, org_id, "timestamp", actor_type, actor_id, actor_email, action, resource_type, resource_id, resource_name,
      details, ip_address, user_agent, result, error_message, chain_seq, checksum, prev_checksum, sealed_at)
    SELECT p_id[places[k]], p_org, p_timestamp[places[k]], p_actor_type[places[k]], p_actor_id[places[k]],
      p_actor_email[places[k]], p_action[places[k]], p_resource_type[places[k]], p_resource_id[places[k]],
      p_resource_name[places[k]], docs[places[k]], p_ip_address[places[k]], p_user_agent[places[k]],
      p_result[places[k]], p_error_message[places[k]], seqs[k], links[k], prevs[k], now()
    FROM generate_series(1, cardinality(places)) AS k;
    PERFORM audit_move_head(p_org, old_seq, seq, link);
  END IF;
  IF cardinality(places) = n THEN RETURN '{}'; END IF;
  SELECT coalesce(array_agg(k ORDER BY k), '{}') INTO taken
  FROM generate_series(1, n) AS k
  LEFT JOIN audit_logs a ON a.org_id = p_org AND a.id = p_id[k]
  WHERE (
    a.actor_type, a.actor_id, a.actor_email, a.action, a.resource_type, a.resource_id, a.resource_name,
    a.details #- '{submittedBy,name}', a.ip_address, a.user_agent, a.result, a.error_message)
    IS DISTINCT FROM (
    p_actor_type[k], p_actor_id[k], p_actor_email[k], p_action[k], p_resource_type[k], p_resource_id[k],
    p_resource_name[k], p_details[k]::jsonb #- '{submittedBy,name}', p_ip_address[k], p_user_agent[k], p_result[k],
    p_error_message[k]);
  RETURN taken;
END
$$;

GRANT EXECUTE ON FUNCTION audit_append_org TO trailmark_app;
