-- A database of version 0.110.0, the last with 24 migrations: two organizations whose chains are sealed (53 rows, and 13
-- of which four are pruned), their search index half built, a device with a custom field, a saved view.
-- Made by pg_dump 15 --inserts; its comments and psql's commands are taken out. db/upgrade.db.test.ts loads it.

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

CREATE SCHEMA drizzle;

ALTER SCHEMA drizzle OWNER TO trailmark_owner;

CREATE SCHEMA pgboss;

ALTER SCHEMA pgboss OWNER TO trailmark_owner;

CREATE EXTENSION IF NOT EXISTS btree_gin WITH SCHEMA public;

COMMENT ON EXTENSION btree_gin IS 'support for indexing common datatypes in GIN';

CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;

COMMENT ON EXTENSION pg_trgm IS 'text similarity measurement and index searching based on trigrams';

CREATE TYPE pgboss.job_state AS ENUM (
    'created',
    'retry',
    'active',
    'completed',
    'cancelled',
    'failed'
);

ALTER TYPE pgboss.job_state OWNER TO trailmark_owner;

CREATE FUNCTION pgboss.create_queue(queue_name text, options json) RETURNS void
    LANGUAGE plpgsql
    AS $_$
DECLARE
  table_name varchar := 'j' || encode(sha224(queue_name::bytea), 'hex');
  queue_created_on timestamptz;
BEGIN

  WITH q as (
  INSERT INTO pgboss.queue (
    name,
    policy,
    retry_limit,
    retry_delay,
    retry_backoff,
    expire_seconds,
    retention_minutes,
    dead_letter,
    partition_name
  )
  VALUES (
    queue_name,
    options->>'policy',
    (options->>'retryLimit')::int,
    (options->>'retryDelay')::int,
    (options->>'retryBackoff')::bool,
    (options->>'expireInSeconds')::int,
    (options->>'retentionMinutes')::int,
    options->>'deadLetter',
    table_name
  )
  ON CONFLICT DO NOTHING
  RETURNING created_on
  )
  SELECT created_on into queue_created_on from q;

  IF queue_created_on IS NULL THEN
    RETURN;
  END IF;

  EXECUTE format('CREATE TABLE pgboss.%I (LIKE pgboss.job INCLUDING DEFAULTS)', table_name);

  EXECUTE format('ALTER TABLE pgboss.%1$I ADD PRIMARY KEY (name, id)', table_name);
  EXECUTE format('ALTER TABLE pgboss.%1$I ADD CONSTRAINT q_fkey FOREIGN KEY (name) REFERENCES pgboss.queue (name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED', table_name);
  EXECUTE format('ALTER TABLE pgboss.%1$I ADD CONSTRAINT dlq_fkey FOREIGN KEY (dead_letter) REFERENCES pgboss.queue (name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED', table_name);
  EXECUTE format('CREATE UNIQUE INDEX %1$s_i1 ON pgboss.%1$I (name, COALESCE(singleton_key, '''')) WHERE state = ''created'' AND policy = ''short''', table_name);
  EXECUTE format('CREATE UNIQUE INDEX %1$s_i2 ON pgboss.%1$I (name, COALESCE(singleton_key, '''')) WHERE state = ''active'' AND policy = ''singleton''', table_name);
  EXECUTE format('CREATE UNIQUE INDEX %1$s_i3 ON pgboss.%1$I (name, state, COALESCE(singleton_key, '''')) WHERE state <= ''active'' AND policy = ''stately''', table_name);
  EXECUTE format('CREATE UNIQUE INDEX %1$s_i4 ON pgboss.%1$I (name, singleton_on, COALESCE(singleton_key, '''')) WHERE state <> ''cancelled'' AND singleton_on IS NOT NULL', table_name);
  EXECUTE format('CREATE INDEX %1$s_i5 ON pgboss.%1$I (name, start_after) INCLUDE (priority, created_on, id) WHERE state < ''active''', table_name);

  EXECUTE format('ALTER TABLE pgboss.%I ADD CONSTRAINT cjc CHECK (name=%L)', table_name, queue_name);
  EXECUTE format('ALTER TABLE pgboss.job ATTACH PARTITION pgboss.%I FOR VALUES IN (%L)', table_name, queue_name);
END;
$_$;

ALTER FUNCTION pgboss.create_queue(queue_name text, options json) OWNER TO trailmark_owner;

CREATE FUNCTION pgboss.delete_queue(queue_name text) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
  table_name varchar;
BEGIN
  WITH deleted as (
    DELETE FROM pgboss.queue
    WHERE name = queue_name
    RETURNING partition_name
  )
  SELECT partition_name from deleted INTO table_name;

  EXECUTE format('DROP TABLE IF EXISTS pgboss.%I', table_name);
END;
$$;

ALTER FUNCTION pgboss.delete_queue(queue_name text) OWNER TO trailmark_owner;

CREATE FUNCTION public.audit_append(p_id uuid[], p_org_id uuid[], p_timestamp timestamp with time zone[], p_actor_type text[], p_actor_id uuid[], p_actor_email text[], p_action text[], p_resource_type text[], p_resource_id uuid[], p_resource_name text[], p_details text[], p_ip_address text[], p_user_agent text[], p_result text[], p_error_message text[]) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
DECLARE
  n int := cardinality(p_id);
  inserted int;
  at_org int; org uuid; seq bigint; prev text; link text; ms bigint; details text;
  docs jsonb[]; seqs bigint[]; links text[]; prevs text[];
  orgs uuid[]; old_seqs bigint[]; new_seqs bigint[]; new_links text[];
BEGIN
  IF coalesce(n, 0) = 0 THEN RETURN 0; END IF;
  IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
    RAISE EXCEPTION 'audit_logs takes rows in READ COMMITTED transactions only, this one is %', upper(current_setting('transaction_isolation'))
      USING ERRCODE = 'feature_not_supported', HINT = 'A chain is linked to its newest row, which an older snapshot does not show.';
  END IF;
  IF (n, n, n, n, n, n, n, n, n, n, n, n, n, n) IS DISTINCT FROM (cardinality(p_org_id), cardinality(p_timestamp), cardinality(p_actor_type),
    cardinality(p_actor_id), cardinality(p_actor_email), cardinality(p_action), cardinality(p_resource_type), cardinality(p_resource_id),
    cardinality(p_resource_name), cardinality(p_details), cardinality(p_ip_address), cardinality(p_user_agent), cardinality(p_result),
    cardinality(p_error_message)) THEN
    RAISE EXCEPTION 'audit_append: every column needs the same number of values' USING ERRCODE = 'array_subscript_error';
  END IF;
  IF pg_current_xact_id_if_assigned() IS NULL THEN
    PERFORM pg_advisory_xact_lock(k) FROM (SELECT DISTINCT audit_lock_key(o) AS k FROM unnest(p_org_id) AS o ORDER BY k OFFSET 0) keys;
    SELECT array_agg(o.org), array_agg(coalesce(h.seq, 0)), array_agg(h.checksum::text) INTO orgs, old_seqs, new_links
    FROM (SELECT DISTINCT u AS org FROM unnest(p_org_id) AS u OFFSET 0) o
    LEFT JOIN LATERAL (SELECT c.seq, c.checksum FROM audit_chain_heads c WHERE c.org_id = o.org ORDER BY c.seq DESC LIMIT 1) h ON true;
    new_seqs := old_seqs;
    docs := array_fill(NULL::jsonb, ARRAY[n]); seqs := array_fill(NULL::bigint, ARRAY[n]); links := array_fill(NULL::text, ARRAY[n]); prevs := links;
    -- Subscripts, here and in the INSERT: fifteen unnests would each go through a store of its own.
    FOR i IN 1..n LOOP
      IF org IS DISTINCT FROM p_org_id[i] THEN
        IF at_org IS NOT NULL THEN new_seqs[at_org] := seq; new_links[at_org] := link; END IF;
        org := p_org_id[i]; at_org := array_position(orgs, org); seq := new_seqs[at_org]; link := new_links[at_org];
      END IF;
      -- An assignment to varchar(n) cuts surplus blanks silently: the hash would be of another text than the row's.
      IF (octet_length(p_actor_email[i]) > 255 AND char_length(p_actor_email[i]) > 255) OR (octet_length(p_action[i]) > 100 AND char_length(p_action[i]) > 100)
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
      link := audit_link(prev, seq,
        audit_lengths(p_id[i], org, ms, p_actor_type[i], p_actor_id[i], p_actor_email[i], p_action[i], p_resource_type[i], p_resource_id[i],
          p_resource_name[i], details, p_ip_address[i], p_user_agent[i], p_result[i], p_error_message[i]),
        audit_values(p_id[i], org, ms, p_actor_type[i], p_actor_id[i], p_actor_email[i], p_action[i], p_resource_type[i], p_resource_id[i],
          p_resource_name[i], details, p_ip_address[i], p_user_agent[i], p_result[i], p_error_message[i]));
      seqs[i] := seq; links[i] := link; prevs[i] := prev;
    END LOOP;
    new_seqs[at_org] := seq; new_links[at_org] := link;
    BEGIN
      INSERT INTO audit_logs (id, org_id, "timestamp", actor_type, actor_id, actor_email, action, resource_type, resource_id, resource_name, details,
        ip_address, user_agent, result, error_message, chain_seq, checksum, prev_checksum, seal_tx)
      SELECT p_id[k], p_org_id[k], p_timestamp[k], p_actor_type[k], p_actor_id[k], p_actor_email[k], p_action[k], p_resource_type[k],
        p_resource_id[k], p_resource_name[k], docs[k], p_ip_address[k], p_user_agent[k], p_result[k], p_error_message[k], seqs[k], links[k], prevs[k], NULL
      FROM generate_series(1, n) AS k;
      PERFORM audit_move_heads(orgs, old_seqs, new_seqs, new_links);
      RETURN n;
    EXCEPTION WHEN unique_violation THEN
      NULL; -- An id is already there, or twice in the batch: the way below sorts that out.
    END;
  END IF;

  INSERT INTO audit_logs (id, org_id, "timestamp", actor_type, actor_id, actor_email, action, resource_type, resource_id, resource_name, details,
    ip_address, user_agent, result, error_message)
  SELECT p_id[k], p_org_id[k], p_timestamp[k], p_actor_type[k], p_actor_id[k], p_actor_email[k], p_action[k], p_resource_type[k],
    p_resource_id[k], p_resource_name[k], p_details[k]::jsonb, p_ip_address[k], p_user_agent[k], p_result[k], p_error_message[k]
  FROM generate_series(1, n) AS k
  ON CONFLICT (id) DO NOTHING;
  GET DIAGNOSTICS inserted = ROW_COUNT;
  IF EXISTS (
    SELECT FROM unnest(p_id, p_org_id) AS u(id, org_id)
    LEFT JOIN LATERAL (SELECT a.org_id FROM audit_logs a WHERE a.id = u.id LIMIT 1) known ON true
    WHERE known.org_id IS DISTINCT FROM u.org_id) THEN
    RAISE EXCEPTION 'audit_append: an id belongs to another organization' USING ERRCODE = 'unique_violation';
  END IF;
  RETURN inserted;
END
$$;

ALTER FUNCTION public.audit_append(p_id uuid[], p_org_id uuid[], p_timestamp timestamp with time zone[], p_actor_type text[], p_actor_id uuid[], p_actor_email text[], p_action text[], p_resource_type text[], p_resource_id uuid[], p_resource_name text[], p_details text[], p_ip_address text[], p_user_agent text[], p_result text[], p_error_message text[]) OWNER TO trailmark_sealer;

CREATE FUNCTION public.audit_chain_head(org uuid) RETURNS TABLE(org_id uuid, seq bigint, checksum text, pruned_through_seq bigint, pruned_through_checksum text)
    LANGUAGE sql STABLE SECURITY DEFINER ROWS 1
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
  SELECT * FROM audit_chain_heads_of(ARRAY[org])
$$;

ALTER FUNCTION public.audit_chain_head(org uuid) OWNER TO trailmark_sealer;

CREATE FUNCTION public.audit_chain_heads_of(orgs uuid[]) RETURNS TABLE(org_id uuid, seq bigint, checksum text, pruned_through_seq bigint, pruned_through_checksum text)
    LANGUAGE sql STABLE SECURITY DEFINER ROWS 10
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
  SELECT h.org_id, h.seq, h.checksum, h.pruned_through_seq, h.pruned_through_checksum
  FROM (SELECT DISTINCT unnest(orgs) AS org) o
  CROSS JOIN LATERAL (SELECT * FROM audit_chain_heads c WHERE c.org_id = o.org ORDER BY c.seq DESC LIMIT 1) h
  WHERE (SELECT current_setting('trailmark.scope', true)) = 'system'
    OR o.org = ANY ((SELECT NULLIF(current_setting('trailmark.org_ids', true), '')::uuid[])::uuid[])
$$;

ALTER FUNCTION public.audit_chain_heads_of(orgs uuid[]) OWNER TO trailmark_sealer;

CREATE FUNCTION public.audit_chain_health() RETURNS text[]
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
  SELECT coalesce(array_agg(fault ORDER BY fault), '{}') FROM (
    SELECT format('trigger %s on %s is missing or disabled', w.name, w.tab) AS fault
    FROM (VALUES ('audit_logs', 'audit_logs_seal'), ('audit_logs', 'audit_logs_no_update'), ('audit_logs', 'audit_logs_seal_once'), ('audit_logs', 'audit_logs_guard_delete'),
      ('audit_logs', 'audit_logs_prune'), ('audit_logs', 'audit_logs_no_truncate'), ('audit_chain_heads', 'audit_chain_heads_no_delete'),
      ('audit_chain_heads', 'audit_chain_heads_no_truncate'), ('organizations', 'organizations_retention_policy')) AS w(tab, name)
    WHERE NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = to_regclass('public.' || w.tab) AND t.tgname = w.name AND t.tgenabled IN ('O', 'A'))
    UNION ALL
    SELECT format('row level security of %s is not forced', w.tab)
    FROM (VALUES ('audit_logs'), ('audit_chain_heads'), ('audit_retention_policies')) AS w(tab)
    WHERE NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = to_regclass('public.' || w.tab) AND c.relrowsecurity AND c.relforcerowsecurity)
    UNION ALL
    SELECT format('policy %s on %s is missing', w.name, w.tab)
    FROM (VALUES ('audit_logs', 'audit_logs_tenant'), ('audit_logs', 'audit_logs_sealer'), ('audit_logs', 'audit_logs_admin'),
      ('audit_chain_heads', 'audit_chain_heads_sealer'), ('audit_chain_heads', 'audit_chain_heads_admin'),
      ('audit_retention_policies', 'audit_retention_policies_tenant'), ('audit_retention_policies', 'audit_retention_policies_sealer'),
      ('audit_retention_policies', 'audit_retention_policies_admin')) AS w(tab, name)
    WHERE NOT EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = to_regclass('public.' || w.tab) AND p.polname = w.name)
    UNION ALL
    SELECT format('policy %s on audit_logs is not ours', p.polname) FROM pg_policy p
    WHERE p.polrelid = 'public.audit_logs'::regclass AND p.polname NOT IN ('audit_logs_tenant', 'audit_logs_sealer', 'audit_logs_admin', 'audit_logs_backup')
    UNION ALL
    SELECT format('function %s is missing, not owned by trailmark_sealer or without its security settings', w.name)
    FROM (VALUES ('audit_seal'), ('audit_seal_transaction'), ('audit_move_heads'), ('audit_append'), ('audit_prune'), ('audit_default_policy'),
      ('audit_chain_heads_of'), ('audit_chain_head'), ('audit_chain_health')) AS w(name)
    WHERE NOT EXISTS (SELECT FROM pg_proc f WHERE f.pronamespace = 'public'::regnamespace AND f.proname = w.name AND f.prosecdef
      AND f.proowner = 'trailmark_sealer'::regrole AND f.proconfig @> ARRAY['search_path=pg_catalog, public, pg_temp'])
    UNION ALL
    SELECT format('function %s may be executed by everybody', f.proname) FROM pg_proc f
    WHERE f.pronamespace = 'public'::regnamespace AND f.proname LIKE 'audit\_%'
      AND EXISTS (SELECT FROM aclexplode(coalesce(f.proacl, acldefault('f', f.proowner))) a WHERE a.grantee = 0 AND a.privilege_type = 'EXECUTE')
    UNION ALL
    SELECT format('trailmark_app has %s on %s', w.priv, w.tab)
    FROM (VALUES ('audit_logs', 'UPDATE'), ('audit_logs', 'DELETE'), ('audit_logs', 'TRUNCATE'), ('audit_logs', 'TRIGGER'),
      ('audit_chain_heads', 'INSERT'), ('audit_chain_heads', 'UPDATE'), ('audit_chain_heads', 'DELETE'), ('audit_chain_heads', 'TRUNCATE'),
      ('audit_retention_policies', 'DELETE'), ('audit_retention_policies', 'TRUNCATE')) AS w(tab, priv)
    WHERE has_table_privilege('trailmark_app', 'public.' || w.tab, w.priv)
    UNION ALL
    SELECT format('trailmark_app may write audit_logs.%s', w.col)
    FROM (VALUES ('chain_seq'), ('checksum'), ('prev_checksum'), ('seal_tx')) AS w(col)
    WHERE has_column_privilege('trailmark_app', 'public.audit_logs', w.col, 'INSERT') OR has_column_privilege('trailmark_app', 'public.audit_logs', w.col, 'UPDATE')
    UNION ALL
    SELECT format('role %s is superuser, bypasses row level security or is a member of another one of ours', r.rolname) FROM pg_roles r
    WHERE r.rolname IN ('trailmark_app', 'trailmark_audit_admin', 'trailmark_sealer')
      AND (r.rolsuper OR r.rolbypassrls OR EXISTS (SELECT FROM pg_auth_members m WHERE m.member = r.oid
        AND m.roleid IN ('trailmark_app'::regrole, 'trailmark_audit_admin'::regrole, 'trailmark_sealer'::regrole)))
  ) faults
$$;

ALTER FUNCTION public.audit_chain_health() OWNER TO trailmark_sealer;

SET default_tablespace = '';

SET default_table_access_method = heap;

CREATE TABLE public.audit_logs (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    org_id uuid NOT NULL,
    "timestamp" timestamp(3) with time zone DEFAULT now() NOT NULL,
    actor_type text NOT NULL,
    actor_id uuid NOT NULL,
    actor_email character varying(255),
    action character varying(100) NOT NULL,
    resource_type character varying(50) NOT NULL,
    resource_id uuid,
    resource_name character varying(255),
    details jsonb,
    ip_address character varying(45),
    user_agent text,
    result text NOT NULL,
    error_message text,
    checksum character varying(128),
    prev_checksum character varying(128),
    chain_seq bigint,
    seal_tx xid8 DEFAULT pg_current_xact_id(),
    CONSTRAINT audit_logs_actor_type_check CHECK ((actor_type = ANY (ARRAY['user'::text, 'api_key'::text, 'agent'::text, 'system'::text, 'ai_agent'::text]))),
    CONSTRAINT audit_logs_result_check CHECK ((result = ANY (ARRAY['success'::text, 'failure'::text, 'denied'::text]))),
    CONSTRAINT audit_logs_timestamp_check CHECK ((("timestamp" >= '1970-01-01 00:00:00+00'::timestamp with time zone) AND ("timestamp" < '10000-01-01 00:00:00+00'::timestamp with time zone)))
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_insert_scale_factor='0.05', autovacuum_analyze_scale_factor='0.02');

ALTER TABLE ONLY public.audit_logs FORCE ROW LEVEL SECURITY;

ALTER TABLE public.audit_logs OWNER TO trailmark_owner;

CREATE FUNCTION public.audit_checksum(r public.audit_logs) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
  ms bigint := audit_ms(r."timestamp");
  details text := r.details::text;
BEGIN
  RETURN audit_link(r.prev_checksum, r.chain_seq,
    audit_lengths(r.id, r.org_id, ms, r.actor_type, r.actor_id, r.actor_email, r.action, r.resource_type, r.resource_id, r.resource_name,
      details, r.ip_address, r.user_agent, r.result, r.error_message),
    audit_values(r.id, r.org_id, ms, r.actor_type, r.actor_id, r.actor_email, r.action, r.resource_type, r.resource_id, r.resource_name,
      details, r.ip_address, r.user_agent, r.result, r.error_message));
END
$$;

ALTER FUNCTION public.audit_checksum(r public.audit_logs) OWNER TO trailmark_sealer;

CREATE FUNCTION public.audit_default_policy() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
  INSERT INTO audit_retention_policies (org_id) VALUES (NEW.id);
  RETURN NULL;
END
$$;

ALTER FUNCTION public.audit_default_policy() OWNER TO trailmark_sealer;

CREATE FUNCTION public.audit_guard_delete() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
  IF NOT pg_has_role(current_user, 'trailmark_audit_admin', 'USAGE') OR (SELECT r.rolsuper FROM pg_roles r WHERE r.rolname = current_user) THEN
    RAISE EXCEPTION 'audit_logs is append-only: DELETE refused' USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF current_setting('trailmark.prune', true) IS DISTINCT FROM 'on' THEN
    RAISE EXCEPTION 'audit_logs is append-only: DELETE refused without the setting trailmark.prune' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NULL;
END
$$;

ALTER FUNCTION public.audit_guard_delete() OWNER TO trailmark_sealer;

CREATE FUNCTION public.audit_lengths(id uuid, org_id uuid, ms bigint, actor_type text, actor_id uuid, actor_email text, action text, resource_type text, resource_id uuid, resource_name text, details text, ip_address text, user_agent text, result text, error_message text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ((((((((((((((((((((('36,36,'::text || (octet_length((ms)::text))::text) || ','::text) || (octet_length(actor_type))::text) || ',36,'::text) || COALESCE((octet_length(actor_email))::text, '-'::text)) || ','::text) || (octet_length(action))::text) || ','::text) || (octet_length(resource_type))::text) || CASE WHEN (resource_id IS NULL) THEN ',-,'::text ELSE ',36,'::text END) || COALESCE((octet_length(resource_name))::text, '-'::text)) || ','::text) || COALESCE((octet_length(details))::text, '-'::text)) || ','::text) || COALESCE((octet_length(ip_address))::text, '-'::text)) || ','::text) || COALESCE((octet_length(user_agent))::text, '-'::text)) || ','::text) || (octet_length(result))::text) || ','::text) || COALESCE((octet_length(error_message))::text, '-'::text));

ALTER FUNCTION public.audit_lengths(id uuid, org_id uuid, ms bigint, actor_type text, actor_id uuid, actor_email text, action text, resource_type text, resource_id uuid, resource_name text, details text, ip_address text, user_agent text, result text, error_message text) OWNER TO trailmark_sealer;

CREATE FUNCTION public.audit_link(prev text, seq bigint, lengths text, vals text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN encode(sha256(convert_to(((((((((('v1;'::text || COALESCE((octet_length(prev))::text, '-'::text)) || ','::text) || (octet_length((seq)::text))::text) || ','::text) || lengths) || ';'::text) || COALESCE(prev, ''::text)) || (seq)::text) || vals), 'UTF8'::name)), 'hex'::text);

ALTER FUNCTION public.audit_link(prev text, seq bigint, lengths text, vals text) OWNER TO trailmark_sealer;

CREATE FUNCTION public.audit_lock_key(org uuid) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN uuid_hash_extended(org, (110)::bigint);

ALTER FUNCTION public.audit_lock_key(org uuid) OWNER TO trailmark_sealer;

CREATE FUNCTION public.audit_move_heads(orgs uuid[], old_seqs bigint[], new_seqs bigint[], new_links text[]) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
DECLARE moved bigint; made bigint := 0;
BEGIN
  UPDATE audit_chain_heads h SET seq = u.new_seq, checksum = u.link
  FROM unnest(orgs, old_seqs, new_seqs, new_links) AS u(org, old_seq, new_seq, link) WHERE h.org_id = u.org AND h.seq = u.old_seq;
  GET DIAGNOSTICS moved = ROW_COUNT;
  IF moved < cardinality(orgs) THEN
    INSERT INTO audit_chain_heads (org_id, seq, checksum)
    SELECT u.org, u.new_seq, u.link FROM unnest(orgs, old_seqs, new_seqs, new_links) AS u(org, old_seq, new_seq, link) WHERE u.old_seq = 0;
    GET DIAGNOSTICS made = ROW_COUNT;
  END IF;
  IF moved + made <> cardinality(orgs) THEN
    RAISE EXCEPTION 'audit_chain_heads: a chain moved without its lock' USING ERRCODE = 'serialization_failure';
  END IF;
  RETURN moved;
END
$$;

ALTER FUNCTION public.audit_move_heads(orgs uuid[], old_seqs bigint[], new_seqs bigint[], new_links text[]) OWNER TO trailmark_sealer;

CREATE FUNCTION public.audit_ms(at timestamp with time zone) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ((date_part('epoch'::text, (at - '1970-01-01 00:00:00+00'::timestamp with time zone)) * (1000)::double precision))::bigint;

ALTER FUNCTION public.audit_ms(at timestamp with time zone) OWNER TO trailmark_sealer;

CREATE FUNCTION public.audit_prune() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
  o record; head_seq bigint; through bigint; days int; last_checksum text;
BEGIN
  FOR o IN
    SELECT org_id, count(*) AS n, count(chain_seq) AS sealed, min(chain_seq) AS first, max(chain_seq) AS last, max("timestamp") AS newest
    FROM pruned GROUP BY org_id ORDER BY audit_lock_key(org_id)
  LOOP
    PERFORM pg_advisory_xact_lock(audit_lock_key(o.org_id));
    SELECT h.seq, h.pruned_through_seq INTO head_seq, through FROM audit_chain_heads h WHERE h.org_id = o.org_id ORDER BY h.seq DESC LIMIT 1 FOR NO KEY UPDATE;
    SELECT p.retention_days INTO days FROM audit_retention_policies p WHERE p.org_id = o.org_id;
    IF days IS NULL THEN
      RAISE EXCEPTION 'audit_logs: organization % has no retention policy, DELETE refused', o.org_id USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF o.sealed <> o.n OR o.first IS DISTINCT FROM through + 1 OR o.last - o.first + 1 <> o.n THEN
      RAISE EXCEPTION 'audit_logs: only the contiguous oldest rows of a chain may go, DELETE refused' USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF o.newest >= now() - make_interval(hours => 24 * days) THEN
      RAISE EXCEPTION 'audit_logs: a row is still inside the retention window of % days, DELETE refused', days USING ERRCODE = 'insufficient_privilege';
    END IF;
    SELECT p.checksum INTO last_checksum FROM pruned p WHERE p.org_id = o.org_id AND p.chain_seq = o.last;
    UPDATE audit_chain_heads h SET pruned_through_seq = o.last, pruned_through_checksum = last_checksum
    WHERE h.org_id = o.org_id AND h.seq = head_seq;
    INSERT INTO audit_logs (org_id, actor_type, actor_id, action, resource_type, resource_id, details, result)
    VALUES (o.org_id, 'system', '00000000-0000-0000-0000-000000000000', 'audit.retention.prune', 'organization', o.org_id,
      jsonb_build_object('firstSeq', o.first, 'lastSeq', o.last, 'count', o.n, 'lastChecksum', last_checksum, 'retentionDays', days), 'success');
  END LOOP;
  RETURN NULL;
END
$$;

ALTER FUNCTION public.audit_prune() OWNER TO trailmark_sealer;

CREATE FUNCTION public.audit_refuse() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
  RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'insufficient_privilege', HINT = coalesce(TG_ARGV[0], 'Rows leave by retention alone.');
END
$$;

ALTER FUNCTION public.audit_refuse() OWNER TO trailmark_sealer;

CREATE FUNCTION public.audit_seal() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
DECLARE
  me xid8 := pg_current_xact_id();
  sealed boolean;
  ms bigint; details text; lengths text; vals text;
  old_seq bigint; new_seq bigint; link text; prev text;
BEGIN
  IF current_setting('trailmark.sealed', true) = me::text THEN
    SELECT chain_seq IS NOT NULL INTO sealed FROM audit_logs WHERE id = NEW.id;
    IF sealed THEN RETURN NULL; END IF;
  END IF;
  IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
    RAISE EXCEPTION 'audit_logs takes rows in READ COMMITTED transactions only, this one is %', upper(current_setting('transaction_isolation'))
      USING ERRCODE = 'feature_not_supported', HINT = 'A chain is linked to its newest row, which an older snapshot does not show.';
  END IF;
  PERFORM FROM audit_logs WHERE chain_seq IS NULL AND seal_tx = me AND id <> NEW.id LIMIT 1;
  IF NOT FOUND THEN
    ms := audit_ms(NEW."timestamp");
    details := NEW.details::text;
    lengths := audit_lengths(NEW.id, NEW.org_id, ms, NEW.actor_type, NEW.actor_id, NEW.actor_email, NEW.action, NEW.resource_type,
      NEW.resource_id, NEW.resource_name, details, NEW.ip_address, NEW.user_agent, NEW.result, NEW.error_message);
    vals := audit_values(NEW.id, NEW.org_id, ms, NEW.actor_type, NEW.actor_id, NEW.actor_email, NEW.action, NEW.resource_type,
      NEW.resource_id, NEW.resource_name, details, NEW.ip_address, NEW.user_agent, NEW.result, NEW.error_message);
    -- An expression, where it suffices: a statement costs ten times that.
    IF NOT pg_try_advisory_xact_lock(audit_lock_key(NEW.org_id)) THEN PERFORM pg_advisory_xact_lock(audit_lock_key(NEW.org_id)); END IF;
    SELECT c.seq, c.checksum INTO old_seq, prev FROM audit_chain_heads c WHERE c.org_id = NEW.org_id ORDER BY c.seq DESC LIMIT 1;
    new_seq := coalesce(old_seq, 0) + 1;
    link := audit_link(prev, new_seq, lengths, vals);
    IF old_seq IS NULL THEN
      INSERT INTO audit_chain_heads (org_id, seq, checksum) VALUES (NEW.org_id, new_seq, link);
    ELSE
      UPDATE audit_chain_heads SET seq = new_seq, checksum = link WHERE org_id = NEW.org_id AND seq = old_seq;
      IF NOT FOUND THEN RAISE EXCEPTION 'audit_chain_heads: a chain moved without its lock' USING ERRCODE = 'serialization_failure'; END IF;
    END IF;
    UPDATE audit_logs SET chain_seq = new_seq, checksum = link, prev_checksum = prev, seal_tx = NULL WHERE id = NEW.id;
    IF NOT FOUND THEN RAISE EXCEPTION 'audit_logs: the row % could not be sealed', NEW.id; END IF;
    RETURN NULL;
  END IF;

  PERFORM audit_seal_transaction(me);
  PERFORM set_config('trailmark.sealed', me::text, true);
  SELECT chain_seq IS NOT NULL INTO sealed FROM audit_logs WHERE id = NEW.id;
  IF sealed IS NOT TRUE THEN RAISE EXCEPTION 'audit_logs: the row % could not be sealed', NEW.id; END IF;
  RETURN NULL;
END
$$;

ALTER FUNCTION public.audit_seal() OWNER TO trailmark_sealer;

CREATE FUNCTION public.audit_seal_transaction(me xid8) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
DECLARE
  r record;
  org uuid; seq bigint; prev text; link text;
  ids uuid[] := '{}'; seqs bigint[] := '{}'; links text[] := '{}'; prevs text[] := '{}';
  orgs uuid[] := '{}'; old_seqs bigint[] := '{}'; new_seqs bigint[] := '{}'; new_links text[] := '{}';
  moved bigint; n bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(k) FROM (
    SELECT DISTINCT audit_lock_key(org_id) AS k FROM audit_logs WHERE chain_seq IS NULL AND seal_tx = me ORDER BY k OFFSET 0) keys;
  FOR r IN
    SELECT t.id, t.org_id,
      audit_lengths(id, org_id, ms, actor_type, actor_id, actor_email, action, resource_type, resource_id, resource_name,
        details, ip_address, user_agent, result, error_message) AS lengths,
      audit_values(id, org_id, ms, actor_type, actor_id, actor_email, action, resource_type, resource_id, resource_name,
        details, ip_address, user_agent, result, error_message) AS vals
    FROM (SELECT a.cmin::text::bigint AS command, a.ctid AS place, a.id, a.org_id, audit_ms(a."timestamp") AS ms, a.actor_type, a.actor_id, a.actor_email, a.action, a.resource_type,
        a.resource_id, a.resource_name, a.details::text AS details, a.ip_address, a.user_agent, a.result, a.error_message
      FROM audit_logs a WHERE a.chain_seq IS NULL AND a.seal_tx = me OFFSET 0) t
    ORDER BY t.org_id, t.command, t.place
  LOOP
    IF org IS DISTINCT FROM r.org_id THEN
      IF org IS NOT NULL THEN new_seqs := new_seqs || seq; new_links := new_links || link; END IF;
      org := r.org_id;
      SELECT h.seq, h.checksum INTO seq, link FROM audit_chain_heads h WHERE h.org_id = org ORDER BY h.seq DESC LIMIT 1;
      seq := coalesce(seq, 0);
      orgs := orgs || org; old_seqs := old_seqs || seq;
    END IF;
    prev := link;
    seq := seq + 1;
    link := audit_link(prev, seq, r.lengths, r.vals);
    ids := ids || r.id; seqs := seqs || seq; links := links || link; prevs := prevs || prev;
  END LOOP;
  IF org IS NULL THEN RETURN; END IF;
  new_seqs := new_seqs || seq; new_links := new_links || link;

  UPDATE audit_logs a SET chain_seq = u.seq, checksum = u.link, prev_checksum = u.prev, seal_tx = NULL
  FROM unnest(ids, seqs, links, prevs) AS u(id, seq, link, prev) WHERE a.id = u.id;
  GET DIAGNOSTICS n = ROW_COUNT;
  IF n <> cardinality(ids) THEN RAISE EXCEPTION 'audit_logs: % of % rows could not be sealed', cardinality(ids) - n, cardinality(ids); END IF;
  moved := audit_move_heads(orgs, old_seqs, new_seqs, new_links);
END
$$;

ALTER FUNCTION public.audit_seal_transaction(me xid8) OWNER TO trailmark_sealer;

CREATE FUNCTION public.audit_search_advance(p_org uuid, p_max integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
DECLARE
  head bigint; pruned bigint; s audit_search_state; base bigint; made bigint;
BEGIN
  IF current_setting('trailmark.scope', true) IS DISTINCT FROM 'system' THEN
    RAISE EXCEPTION 'audit_search_advance is for the indexer' USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF NOT pg_try_advisory_xact_lock(110, 1) THEN RETURN NULL; END IF;
  SELECT h.seq, h.pruned_through_seq INTO head, pruned FROM audit_chain_heads h WHERE h.org_id = p_org;
  IF head IS NULL THEN RETURN 0; END IF;
  INSERT INTO audit_search_state (org_id) VALUES (p_org) ON CONFLICT DO NOTHING;
  SELECT * INTO s FROM audit_search_state WHERE org_id = p_org;
  IF pruned > s.pruned_through_seq THEN PERFORM audit_search_follow_prune(p_org, pruned); END IF;

  base := greatest(s.indexed_through_seq, pruned);
  made := audit_search_make(p_org, base, least(head, base + p_max), false);
  IF made IS NOT NULL THEN PERFORM audit_search_name(p_org, base, made); END IF;
  s.indexed_through_seq := coalesce(made, base);

  s.tallied_through_seq := greatest(s.tallied_through_seq, pruned);
  IF head - s.tallied_through_seq >= 2048 THEN
    PERFORM audit_search_tally(p_org, s.tallied_through_seq, least(head, s.tallied_through_seq + 8192));
    s.tallied_through_seq := least(head, s.tallied_through_seq + 8192);
  END IF;
  UPDATE audit_search_state SET indexed_through_seq = s.indexed_through_seq, tallied_through_seq = s.tallied_through_seq, pruned_through_seq = pruned
  WHERE org_id = p_org;
  RETURN s.indexed_through_seq - base;
END
$$;

ALTER FUNCTION public.audit_search_advance(p_org uuid, p_max integer) OWNER TO trailmark_sealer;

CREATE FUNCTION public.audit_search_backlog() RETURNS TABLE(org_id uuid, rows bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
  SELECT h.org_id, h.seq - greatest(h.pruned_through_seq, coalesce(s.indexed_through_seq, 0))
  FROM audit_chain_heads h LEFT JOIN audit_search_state s ON s.org_id = h.org_id
  WHERE (SELECT current_setting('trailmark.scope', true)) = 'system'
    AND (h.seq - greatest(h.pruned_through_seq, coalesce(s.indexed_through_seq, 0)) >= 128 OR h.pruned_through_seq > coalesce(s.pruned_through_seq, 0))
  ORDER BY 2 DESC LIMIT 100
$$;

ALTER FUNCTION public.audit_search_backlog() OWNER TO trailmark_sealer;

CREATE FUNCTION public.audit_search_blocks(p_orgs uuid[], p_needle jsonb, p_rough_only boolean, p_cap bigint) RETURNS TABLE(org_id uuid, first_seq bigint, last_seq bigint, max_at timestamp with time zone)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $_$
DECLARE
  orgs uuid[] := audit_search_reach(p_orgs);
  one text := CASE cardinality(orgs) WHEN 1 THEN format('s.org_id = %L', orgs[1]) ELSE 's.org_id = ANY ($2)' END;
  clause text := audit_search_clause(p_needle) || CASE WHEN p_rough_only THEN
    ' AND (s.rough OR s.first_seq <= (SELECT h.pruned_through_seq FROM audit_chain_heads h WHERE h.org_id = s.org_id))' ELSE '' END;
BEGIN
  RETURN QUERY EXECUTE format('SELECT s.org_id, s.first_seq, s.last_seq, s.max_at::timestamptz FROM audit_search s WHERE %s AND %s LIMIT $1', one, clause)
    USING p_cap, orgs;
END
$_$;

ALTER FUNCTION public.audit_search_blocks(p_orgs uuid[], p_needle jsonb, p_rough_only boolean, p_cap bigint) OWNER TO trailmark_sealer;

CREATE FUNCTION public.audit_search_clause(p_needle jsonb) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
  SELECT coalesce(string_agg(clause, ' AND '), 'true') FROM (
    SELECT format('s.text LIKE %L', audit_search_pattern(term)) AS clause FROM jsonb_array_elements_text(p_needle -> 'terms') AS term
    UNION ALL
    SELECT format('s.tags && %L::integer[]', ARRAY(SELECT audit_search_tag(v) FROM jsonb_array_elements_text(one) AS v)) FROM jsonb_array_elements(p_needle -> 'tags') AS one
    UNION ALL
    SELECT format('s.max_at >= %L::timestamptz', p_needle ->> 'from') WHERE p_needle ->> 'from' IS NOT NULL
    UNION ALL
    SELECT format('s.min_at <= %L::timestamptz', p_needle ->> 'to') WHERE p_needle ->> 'to' IS NOT NULL) clauses
$$;

ALTER FUNCTION public.audit_search_clause(p_needle jsonb) OWNER TO trailmark_sealer;

CREATE FUNCTION public.audit_search_count(p_orgs uuid[], p_term text) RETURNS bigint
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $_$
DECLARE
  orgs uuid[] := audit_search_reach(p_orgs);
  one text := CASE cardinality(orgs) WHEN 1 THEN format('s.org_id = %L', orgs[1]) ELSE 's.org_id = ANY ($1)' END;
  total bigint;
BEGIN
  EXECUTE format('SELECT sum((SELECT count(*) FROM string_to_table(s.text, E''\x1e'') AS line WHERE line LIKE %1$L))
    FROM audit_search s WHERE %2$s AND s.text LIKE %1$L AND NOT s.rough
      AND s.first_seq > (SELECT h.pruned_through_seq FROM audit_chain_heads h WHERE h.org_id = s.org_id)', audit_search_pattern(p_term), one)
  INTO total USING orgs;
  RETURN coalesce(total, 0);
END
$_$;

ALTER FUNCTION public.audit_search_count(p_orgs uuid[], p_term text) OWNER TO trailmark_sealer;

CREATE FUNCTION public.audit_search_follow_prune(p_org uuid, p_pruned bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
  block bigint; slice bigint;
BEGIN
  SELECT max(last_seq) INTO block FROM audit_search WHERE org_id = p_org AND first_seq <= p_pruned AND last_seq > p_pruned;
  DELETE FROM audit_search WHERE org_id = p_org AND first_seq <= p_pruned;
  IF block IS NOT NULL THEN PERFORM audit_search_make(p_org, p_pruned, block, true); END IF;
  SELECT max(last_seq) INTO slice FROM audit_tallies WHERE org_id = p_org AND first_seq <= p_pruned AND last_seq > p_pruned;
  DELETE FROM audit_tallies WHERE org_id = p_org AND first_seq <= p_pruned;
  IF slice IS NOT NULL THEN PERFORM audit_search_tally(p_org, p_pruned, slice); END IF;
  DELETE FROM audit_search_terms t WHERE t.org_id = p_org
    AND NOT EXISTS (SELECT FROM audit_search s WHERE s.org_id = p_org AND s.tags && ARRAY[audit_search_tag(t.kind || ':' || t.value)]);
END
$$;

ALTER FUNCTION public.audit_search_follow_prune(p_org uuid, p_pruned bigint) OWNER TO trailmark_sealer;

CREATE FUNCTION public.audit_search_make(p_org uuid, p_after bigint, p_through bigint, p_all boolean) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
  WITH named AS (
    SELECT a.chain_seq, a."timestamp", a.action, a.actor_email, a.result, a.actor_type, a.actor_id, a.resource_id, a.resource_type, a.ip_address,
      a.details ->> 'rawActorId' AS raw_actor,
      CASE WHEN a.resource_type = 'device' THEN a.resource_name END AS device,
      concat_ws(E'\n', a.action, a.actor_email, a.resource_type, a.resource_name, a.details::text) AS line
    FROM audit_logs a WHERE a.org_id = p_org AND a.chain_seq > p_after AND a.chain_seq <= p_through),
  weighed AS (SELECT *, (sum(least(greatest(octet_length(line), 512), 4096)) OVER (ORDER BY chain_seq) - 1) / 4096 AS block FROM named),
  blocks AS (
    SELECT block, min(chain_seq) AS first_seq, max(chain_seq) AS last_seq, min("timestamp") AS min_at, max("timestamp") AS max_at,
      bool_or(octet_length(line) <> char_length(line) OR line ~ E'[\x1e\x1f]') AS rough,
      array_agg(audit_search_tag('action:' || action)) || array_agg(audit_search_tag('email:' || actor_email)) || array_agg(audit_search_tag('result:' || result))
        || array_agg(audit_search_tag('type:' || actor_type)) || array_agg(audit_search_tag('actor:' || actor_id))
        || array_agg(audit_search_tag('actor:' || raw_actor))
        || array_agg(audit_search_tag('resource:' || resource_id)) || array_agg(audit_search_tag('kind:' || resource_type))
        || array_agg(audit_search_tag('ip:' || ip_address))
        || array_agg(audit_search_tag('net:' || substring(ip_address FROM '^[^.:]*[.:][^.:]*[.:]'))) || array_agg(audit_search_tag('device:' || device)) AS tags,
      string_agg(line, E'\x1e' ORDER BY chain_seq) AS text
    FROM weighed GROUP BY block),
  made AS (
    INSERT INTO audit_search (org_id, first_seq, last_seq, min_at, max_at, rough, tags, text)
    SELECT p_org, first_seq, last_seq, min_at, max_at, rough, ARRAY(SELECT DISTINCT t FROM unnest(tags) AS t WHERE t IS NOT NULL), audit_search_text(text)
    FROM blocks WHERE p_all OR block < (SELECT max(block) FROM blocks)
    RETURNING last_seq)
  SELECT max(last_seq) FROM made
$$;

ALTER FUNCTION public.audit_search_make(p_org uuid, p_after bigint, p_through bigint, p_all boolean) OWNER TO trailmark_sealer;

CREATE FUNCTION public.audit_search_name(p_org uuid, p_after bigint, p_through bigint) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
  INSERT INTO audit_search_terms (org_id, kind, value)
  SELECT DISTINCT p_org, v.kind, v.value
  FROM audit_logs a, LATERAL (VALUES ('action', a.action), ('email', a.actor_email),
    ('device', CASE WHEN a.resource_type = 'device' THEN a.resource_name END)) AS v(kind, value)
  WHERE a.org_id = p_org AND a.chain_seq > p_after AND a.chain_seq <= p_through AND v.value IS NOT NULL
  ON CONFLICT DO NOTHING
$$;

ALTER FUNCTION public.audit_search_name(p_org uuid, p_after bigint, p_through bigint) OWNER TO trailmark_sealer;

CREATE FUNCTION public.audit_search_text(t text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN translate(replace(encode(convert_to(lower(t), 'UTF8'::name), 'escape'::text), '\\'::text, ''::text), '\'::text, '\'::text);

ALTER FUNCTION public.audit_search_text(t text) OWNER TO trailmark_sealer;

CREATE FUNCTION public.audit_search_pattern(term text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (('%'::text || regexp_replace(public.audit_search_text(term), '([\\%_])'::text, '\\\1'::text, 'g'::text)) || '%'::text);

ALTER FUNCTION public.audit_search_pattern(term text) OWNER TO trailmark_sealer;

CREATE FUNCTION public.audit_search_reach(p_orgs uuid[]) RETURNS uuid[]
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
  SELECT coalesce(array_agg(o), '{}') FROM unnest(p_orgs) AS o
  WHERE (SELECT current_setting('trailmark.scope', true)) = 'system'
    OR o = ANY ((SELECT NULLIF(current_setting('trailmark.org_ids', true), '')::uuid[])::uuid[])
$$;

ALTER FUNCTION public.audit_search_reach(p_orgs uuid[]) OWNER TO trailmark_sealer;

CREATE FUNCTION public.audit_search_tag(value text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN hashtext(value);

ALTER FUNCTION public.audit_search_tag(value text) OWNER TO trailmark_sealer;

CREATE FUNCTION public.audit_search_tally(p_org uuid, p_after bigint, p_through bigint) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
  INSERT INTO audit_tallies (org_id, first_seq, last_seq, since, action, actor_type, result, rows)
  SELECT p_org, p_after + 1, p_through, date_bin('6 hours', a."timestamp", timestamptz '1970-01-01T00:00:00Z'), a.action, a.actor_type, a.result, count(*)
  FROM audit_logs a WHERE a.org_id = p_org AND a.chain_seq > p_after AND a.chain_seq <= p_through
  GROUP BY 4, 5, 6, 7
$$;

ALTER FUNCTION public.audit_search_tally(p_org uuid, p_after bigint, p_through bigint) OWNER TO trailmark_sealer;

CREATE FUNCTION public.audit_search_window(p_orgs uuid[], p_needle jsonb, p_before_at timestamp with time zone, p_before_org uuid, p_before_seq bigint, p_size integer) RETURNS TABLE(org_id uuid, first_seq bigint, last_seq bigint, max_at timestamp with time zone, matches boolean, seen bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $_$
DECLARE
  place text := CASE WHEN p_before_at IS NULL THEN 'true' ELSE 'b.max_at <= $2 AND (b.max_at, b.org_id, b.first_seq) < ($2, $3, $4)' END;
  span text := audit_search_clause(jsonb_build_object('from', p_needle -> 'from', 'to', p_needle -> 'to'));
BEGIN
  RETURN QUERY EXECUTE format($q$
    SELECT w.org_id, w.first_seq, w.last_seq, w.max_at::timestamptz, w.matches, w.seen FROM (
      SELECT k.*, count(*) OVER () AS seen, row_number() OVER (ORDER BY k.max_at, k.org_id, k.first_seq) AS place,
        (SELECT %s FROM audit_search s WHERE s.org_id = k.org_id AND s.first_seq = k.first_seq) AS matches
      FROM (
        SELECT n.* FROM unnest($1) AS o(id), LATERAL (
          SELECT b.org_id, b.first_seq, b.last_seq, b.max_at FROM audit_search b WHERE b.org_id = o.id AND %s AND %s
          ORDER BY b.max_at DESC, b.first_seq DESC LIMIT $5) n
        ORDER BY n.max_at DESC, n.org_id DESC, n.first_seq DESC LIMIT $5) k) w
    WHERE w.matches OR w.place = 1$q$, audit_search_clause(p_needle), place, replace(span, 's.', 'b.'))
  USING audit_search_reach(p_orgs), p_before_at, p_before_org, p_before_seq, p_size;
END
$_$;

ALTER FUNCTION public.audit_search_window(p_orgs uuid[], p_needle jsonb, p_before_at timestamp with time zone, p_before_org uuid, p_before_seq bigint, p_size integer) OWNER TO trailmark_sealer;

CREATE FUNCTION public.audit_self_test() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
  org uuid := gen_random_uuid();
  faults text[] := audit_chain_health();
  good int;
BEGIN
  IF getdatabaseencoding() <> 'UTF8' THEN RAISE EXCEPTION 'the database must be in UTF8, it is in %', getdatabaseencoding(); END IF;
  IF faults <> '{}' THEN RAISE EXCEPTION 'the audit chain is not safe: %', array_to_string(faults, '; '); END IF;
  BEGIN
    SET CONSTRAINTS audit_logs_seal IMMEDIATE;
    INSERT INTO audit_logs (org_id, actor_type, actor_id, action, resource_type, details, result)
    VALUES (org, 'system', org, 'self.test', 'chain', '{"n": 1.0}', 'success');
    INSERT INTO audit_logs (org_id, actor_type, actor_id, action, resource_type, result)
    SELECT org, 'system', org, 'self.test', 'chain', 'success' FROM generate_series(1, 2);
    SELECT count(*) INTO good FROM audit_logs a LEFT JOIN audit_logs b ON b.org_id = org AND b.chain_seq = a.chain_seq - 1
    WHERE a.org_id = org AND a.checksum = audit_checksum(a) AND a.prev_checksum IS NOT DISTINCT FROM b.checksum AND a.seal_tx IS NULL
      AND (SELECT h.seq FROM audit_chain_heads h WHERE h.org_id = org) = 3;
    IF good <> 3 THEN RAISE EXCEPTION 'the audit chain does not seal: % of 3 rows', good; END IF;
    BEGIN
      UPDATE audit_logs SET checksum = 'x' WHERE org_id = org;
      RAISE EXCEPTION 'audit_logs lets sealed rows change';
    EXCEPTION WHEN insufficient_privilege THEN NULL;
    END;
    RAISE EXCEPTION USING ERRCODE = 'TM000', MESSAGE = 'undo';
  EXCEPTION WHEN SQLSTATE 'TM000' THEN NULL;
  END;
END
$$;

ALTER FUNCTION public.audit_self_test() OWNER TO trailmark_sealer;

CREATE FUNCTION public.audit_values(id uuid, org_id uuid, ms bigint, actor_type text, actor_id uuid, actor_email text, action text, resource_type text, resource_id uuid, resource_name text, details text, ip_address text, user_agent text, result text, error_message text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ((((((((((((id)::text || (org_id)::text) || (ms)::text) || actor_type) || (actor_id)::text) || COALESCE(actor_email, ''::text)) || action) || resource_type) || COALESCE((resource_id)::text, ''::text)) || COALESCE(resource_name, ''::text)) || COALESCE(details, ''::text)) || (((COALESCE(ip_address, ''::text) || COALESCE(user_agent, ''::text)) || result) || COALESCE(error_message, ''::text)));

ALTER FUNCTION public.audit_values(id uuid, org_id uuid, ms bigint, actor_type text, actor_id uuid, actor_email text, action text, resource_type text, resource_id uuid, resource_name text, details text, ip_address text, user_agent text, result text, error_message text) OWNER TO trailmark_sealer;

CREATE TABLE drizzle.__drizzle_migrations (
    id integer NOT NULL,
    hash text NOT NULL,
    created_at bigint
);

ALTER TABLE drizzle.__drizzle_migrations OWNER TO trailmark_owner;

CREATE SEQUENCE drizzle.__drizzle_migrations_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER TABLE drizzle.__drizzle_migrations_id_seq OWNER TO trailmark_owner;

ALTER SEQUENCE drizzle.__drizzle_migrations_id_seq OWNED BY drizzle.__drizzle_migrations.id;

CREATE TABLE pgboss.archive (
    id uuid NOT NULL,
    name text NOT NULL,
    priority integer NOT NULL,
    data jsonb,
    state pgboss.job_state NOT NULL,
    retry_limit integer NOT NULL,
    retry_count integer NOT NULL,
    retry_delay integer NOT NULL,
    retry_backoff boolean NOT NULL,
    start_after timestamp with time zone NOT NULL,
    started_on timestamp with time zone,
    singleton_key text,
    singleton_on timestamp without time zone,
    expire_in interval NOT NULL,
    created_on timestamp with time zone NOT NULL,
    completed_on timestamp with time zone,
    keep_until timestamp with time zone NOT NULL,
    output jsonb,
    dead_letter text,
    policy text,
    archived_on timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE pgboss.archive OWNER TO trailmark_owner;

CREATE TABLE pgboss.job (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    priority integer DEFAULT 0 NOT NULL,
    data jsonb,
    state pgboss.job_state DEFAULT 'created'::pgboss.job_state NOT NULL,
    retry_limit integer DEFAULT 2 NOT NULL,
    retry_count integer DEFAULT 0 NOT NULL,
    retry_delay integer DEFAULT 0 NOT NULL,
    retry_backoff boolean DEFAULT false NOT NULL,
    start_after timestamp with time zone DEFAULT now() NOT NULL,
    started_on timestamp with time zone,
    singleton_key text,
    singleton_on timestamp without time zone,
    expire_in interval DEFAULT '00:15:00'::interval NOT NULL,
    created_on timestamp with time zone DEFAULT now() NOT NULL,
    completed_on timestamp with time zone,
    keep_until timestamp with time zone DEFAULT (now() + '14 days'::interval) NOT NULL,
    output jsonb,
    dead_letter text,
    policy text
)
PARTITION BY LIST (name);

ALTER TABLE pgboss.job OWNER TO trailmark_owner;

CREATE TABLE pgboss.j3f168501ed9816b51a9f5765e0742e1eb034ab6bf72c9ae3f3a975e3 (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    priority integer DEFAULT 0 NOT NULL,
    data jsonb,
    state pgboss.job_state DEFAULT 'created'::pgboss.job_state NOT NULL,
    retry_limit integer DEFAULT 2 NOT NULL,
    retry_count integer DEFAULT 0 NOT NULL,
    retry_delay integer DEFAULT 0 NOT NULL,
    retry_backoff boolean DEFAULT false NOT NULL,
    start_after timestamp with time zone DEFAULT now() NOT NULL,
    started_on timestamp with time zone,
    singleton_key text,
    singleton_on timestamp without time zone,
    expire_in interval DEFAULT '00:15:00'::interval NOT NULL,
    created_on timestamp with time zone DEFAULT now() NOT NULL,
    completed_on timestamp with time zone,
    keep_until timestamp with time zone DEFAULT (now() + '14 days'::interval) NOT NULL,
    output jsonb,
    dead_letter text,
    policy text,
    CONSTRAINT cjc CHECK ((name = '__pgboss__send-it'::text))
);

ALTER TABLE pgboss.j3f168501ed9816b51a9f5765e0742e1eb034ab6bf72c9ae3f3a975e3 OWNER TO trailmark_owner;

CREATE TABLE pgboss.j810862194b3319c141f4da742ece1efa20bc50510d682a1a855137fc (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    priority integer DEFAULT 0 NOT NULL,
    data jsonb,
    state pgboss.job_state DEFAULT 'created'::pgboss.job_state NOT NULL,
    retry_limit integer DEFAULT 2 NOT NULL,
    retry_count integer DEFAULT 0 NOT NULL,
    retry_delay integer DEFAULT 0 NOT NULL,
    retry_backoff boolean DEFAULT false NOT NULL,
    start_after timestamp with time zone DEFAULT now() NOT NULL,
    started_on timestamp with time zone,
    singleton_key text,
    singleton_on timestamp without time zone,
    expire_in interval DEFAULT '00:15:00'::interval NOT NULL,
    created_on timestamp with time zone DEFAULT now() NOT NULL,
    completed_on timestamp with time zone,
    keep_until timestamp with time zone DEFAULT (now() + '14 days'::interval) NOT NULL,
    output jsonb,
    dead_letter text,
    policy text,
    CONSTRAINT cjc CHECK ((name = 'retention'::text))
);

ALTER TABLE pgboss.j810862194b3319c141f4da742ece1efa20bc50510d682a1a855137fc OWNER TO trailmark_owner;

CREATE TABLE pgboss.jb336de88984af0ca24bb2b3ab28dc9142924d1dcc8dbb6d2d40ce02c (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    priority integer DEFAULT 0 NOT NULL,
    data jsonb,
    state pgboss.job_state DEFAULT 'created'::pgboss.job_state NOT NULL,
    retry_limit integer DEFAULT 2 NOT NULL,
    retry_count integer DEFAULT 0 NOT NULL,
    retry_delay integer DEFAULT 0 NOT NULL,
    retry_backoff boolean DEFAULT false NOT NULL,
    start_after timestamp with time zone DEFAULT now() NOT NULL,
    started_on timestamp with time zone,
    singleton_key text,
    singleton_on timestamp without time zone,
    expire_in interval DEFAULT '00:15:00'::interval NOT NULL,
    created_on timestamp with time zone DEFAULT now() NOT NULL,
    completed_on timestamp with time zone,
    keep_until timestamp with time zone DEFAULT (now() + '14 days'::interval) NOT NULL,
    output jsonb,
    dead_letter text,
    policy text,
    CONSTRAINT cjc CHECK ((name = 'verification'::text))
);

ALTER TABLE pgboss.jb336de88984af0ca24bb2b3ab28dc9142924d1dcc8dbb6d2d40ce02c OWNER TO trailmark_owner;

CREATE TABLE pgboss.queue (
    name text NOT NULL,
    policy text,
    retry_limit integer,
    retry_delay integer,
    retry_backoff boolean,
    expire_seconds integer,
    retention_minutes integer,
    dead_letter text,
    partition_name text,
    created_on timestamp with time zone DEFAULT now() NOT NULL,
    updated_on timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE pgboss.queue OWNER TO trailmark_owner;

CREATE TABLE pgboss.schedule (
    name text NOT NULL,
    cron text NOT NULL,
    timezone text,
    data jsonb,
    options jsonb,
    created_on timestamp with time zone DEFAULT now() NOT NULL,
    updated_on timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE pgboss.schedule OWNER TO trailmark_owner;

CREATE TABLE pgboss.subscription (
    event text NOT NULL,
    name text NOT NULL,
    created_on timestamp with time zone DEFAULT now() NOT NULL,
    updated_on timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE pgboss.subscription OWNER TO trailmark_owner;

CREATE TABLE pgboss.version (
    version integer NOT NULL,
    maintained_on timestamp with time zone,
    cron_on timestamp with time zone,
    monitored_on timestamp with time zone
);

ALTER TABLE pgboss.version OWNER TO trailmark_owner;

CREATE TABLE public.agent_logs (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    device_id uuid NOT NULL,
    org_id uuid NOT NULL,
    "timestamp" timestamp(3) with time zone NOT NULL,
    level text NOT NULL,
    component character varying(100) NOT NULL,
    message text NOT NULL,
    fields jsonb,
    agent_version character varying(50),
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT agent_logs_level_check CHECK ((level = ANY (ARRAY['debug'::text, 'info'::text, 'warn'::text, 'error'::text])))
);

ALTER TABLE ONLY public.agent_logs FORCE ROW LEVEL SECURITY;

ALTER TABLE public.agent_logs OWNER TO trailmark_owner;

CREATE UNLOGGED TABLE public.agent_streams (
    agent_id text NOT NULL,
    org_id uuid NOT NULL,
    device_id uuid NOT NULL,
    process_id uuid NOT NULL,
    stream_id uuid NOT NULL,
    connected_at timestamp(3) with time zone NOT NULL,
    beat_at timestamp(3) with time zone NOT NULL,
    closed_at timestamp(3) with time zone
);

ALTER TABLE ONLY public.agent_streams FORCE ROW LEVEL SECURITY;

ALTER TABLE public.agent_streams OWNER TO trailmark_owner;

CREATE TABLE public.agents (
    id text NOT NULL,
    device_id uuid NOT NULL,
    org_id uuid NOT NULL,
    token_hash text NOT NULL,
    revoked_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.agents FORCE ROW LEVEL SECURITY;

ALTER TABLE public.agents OWNER TO trailmark_owner;

CREATE TABLE public.api_keys (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    partner_id uuid NOT NULL,
    org_id uuid,
    name text NOT NULL,
    prefix text NOT NULL,
    key_hash text NOT NULL,
    permissions text[] NOT NULL,
    expires_at timestamp(3) with time zone,
    revoked_at timestamp(3) with time zone,
    last_used_at timestamp(3) with time zone,
    created_by uuid,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.api_keys FORCE ROW LEVEL SECURITY;

ALTER TABLE public.api_keys OWNER TO trailmark_owner;

CREATE TABLE public.audit_alarms (
    org_id uuid NOT NULL,
    raised_at timestamp(3) with time zone NOT NULL,
    source text NOT NULL,
    breaks jsonb NOT NULL
);

ALTER TABLE ONLY public.audit_alarms FORCE ROW LEVEL SECURITY;

ALTER TABLE public.audit_alarms OWNER TO trailmark_owner;

CREATE TABLE public.audit_chain_heads (
    org_id uuid NOT NULL,
    seq bigint NOT NULL,
    checksum character varying(128) NOT NULL,
    pruned_through_seq bigint DEFAULT 0 NOT NULL,
    pruned_through_checksum character varying(128)
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='500');

ALTER TABLE ONLY public.audit_chain_heads FORCE ROW LEVEL SECURITY;

ALTER TABLE public.audit_chain_heads OWNER TO trailmark_owner;

CREATE TABLE public.audit_retention_policies (
    org_id uuid NOT NULL,
    retention_days integer DEFAULT 365 NOT NULL,
    archive_to_s3 boolean DEFAULT false NOT NULL,
    last_cleanup_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT audit_retention_policies_archive_check CHECK ((NOT archive_to_s3)),
    CONSTRAINT audit_retention_policies_days_check CHECK (((retention_days >= 1) AND (retention_days <= 3650)))
);

ALTER TABLE ONLY public.audit_retention_policies FORCE ROW LEVEL SECURITY;

ALTER TABLE public.audit_retention_policies OWNER TO trailmark_owner;

CREATE TABLE public.audit_saved_views (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    partner_id uuid,
    org_id uuid,
    created_by uuid NOT NULL,
    created_by_name text NOT NULL,
    name text NOT NULL,
    query text NOT NULL,
    shared boolean DEFAULT false NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT audit_saved_views_name_check CHECK (((length(name) >= 1) AND (length(name) <= 80))),
    CONSTRAINT audit_saved_views_owner_check CHECK (((NOT shared) OR (partner_id IS NOT NULL))),
    CONSTRAINT audit_saved_views_query_check CHECK ((length(query) <= 4000))
);

ALTER TABLE ONLY public.audit_saved_views FORCE ROW LEVEL SECURITY;

ALTER TABLE public.audit_saved_views OWNER TO trailmark_owner;

CREATE TABLE public.audit_search (
    org_id uuid NOT NULL,
    first_seq bigint NOT NULL,
    last_seq bigint NOT NULL,
    min_at timestamp(3) with time zone NOT NULL,
    max_at timestamp(3) with time zone NOT NULL,
    rough boolean NOT NULL,
    tags integer[] NOT NULL,
    text text NOT NULL
);
ALTER TABLE ONLY public.audit_search ALTER COLUMN text SET STORAGE MAIN;

ALTER TABLE ONLY public.audit_search FORCE ROW LEVEL SECURITY;

ALTER TABLE public.audit_search OWNER TO trailmark_owner;

CREATE TABLE public.audit_search_state (
    org_id uuid NOT NULL,
    indexed_through_seq bigint DEFAULT 0 NOT NULL,
    tallied_through_seq bigint DEFAULT 0 NOT NULL,
    pruned_through_seq bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='500');

ALTER TABLE ONLY public.audit_search_state FORCE ROW LEVEL SECURITY;

ALTER TABLE public.audit_search_state OWNER TO trailmark_owner;

CREATE TABLE public.audit_search_terms (
    org_id uuid NOT NULL,
    kind text NOT NULL,
    value text NOT NULL
);

ALTER TABLE ONLY public.audit_search_terms FORCE ROW LEVEL SECURITY;

ALTER TABLE public.audit_search_terms OWNER TO trailmark_owner;

CREATE TABLE public.audit_tallies (
    org_id uuid NOT NULL,
    first_seq bigint NOT NULL,
    last_seq bigint NOT NULL,
    since timestamp(3) with time zone NOT NULL,
    action text NOT NULL,
    actor_type text NOT NULL,
    result text NOT NULL,
    rows integer NOT NULL
);

ALTER TABLE ONLY public.audit_tallies FORCE ROW LEVEL SECURITY;

ALTER TABLE public.audit_tallies OWNER TO trailmark_owner;

CREATE TABLE public.audit_verifications (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    org_id uuid NOT NULL,
    ran_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    kind text NOT NULL,
    status text NOT NULL,
    rows_checked bigint NOT NULL,
    first_seq bigint,
    last_seq bigint,
    breaks jsonb DEFAULT '[]'::jsonb NOT NULL,
    verified_through_seq bigint,
    rolling_through_seq bigint,
    CONSTRAINT audit_verifications_kind_check CHECK ((kind = ANY (ARRAY['nightly'::text, 'whole'::text, 'range'::text]))),
    CONSTRAINT audit_verifications_status_check CHECK ((status = ANY (ARRAY['intact'::text, 'broken'::text, 'empty'::text])))
);

ALTER TABLE ONLY public.audit_verifications FORCE ROW LEVEL SECURITY;

ALTER TABLE public.audit_verifications OWNER TO trailmark_owner;

CREATE TABLE public.custom_field_definitions (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    partner_id uuid NOT NULL,
    org_id uuid,
    name text NOT NULL,
    field_key text NOT NULL,
    type text NOT NULL,
    options jsonb,
    required boolean DEFAULT false NOT NULL,
    default_value jsonb,
    device_types jsonb,
    secret boolean DEFAULT false NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT custom_field_definitions_key_check CHECK ((field_key ~ '^[a-z][a-z0-9_]*$'::text)),
    CONSTRAINT custom_field_definitions_type_check CHECK ((type = ANY (ARRAY['text'::text, 'number'::text, 'boolean'::text, 'dropdown'::text, 'date'::text])))
);

ALTER TABLE ONLY public.custom_field_definitions FORCE ROW LEVEL SECURITY;

ALTER TABLE public.custom_field_definitions OWNER TO trailmark_owner;

CREATE TABLE public.custom_field_import_changes (
    import_id uuid NOT NULL,
    row_no integer NOT NULL,
    org_id uuid NOT NULL,
    device_id uuid NOT NULL,
    previous jsonb NOT NULL,
    written jsonb NOT NULL,
    recorded_source_id text,
    undone boolean DEFAULT false NOT NULL
);

ALTER TABLE ONLY public.custom_field_import_changes FORCE ROW LEVEL SECURITY;

ALTER TABLE public.custom_field_import_changes OWNER TO trailmark_owner;

CREATE TABLE public.custom_field_import_mappings (
    partner_id uuid NOT NULL,
    source text NOT NULL,
    fingerprint text NOT NULL,
    mapping jsonb NOT NULL,
    uses bigint DEFAULT 1 NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.custom_field_import_mappings FORCE ROW LEVEL SECURITY;

ALTER TABLE public.custom_field_import_mappings OWNER TO trailmark_owner;

CREATE TABLE public.custom_field_import_results (
    import_id uuid NOT NULL,
    row_no integer NOT NULL,
    partner_id uuid NOT NULL,
    outcome text NOT NULL,
    device_id uuid,
    source_id text,
    codes text NOT NULL,
    reason text,
    candidates uuid[],
    picked_device_id uuid
);

ALTER TABLE ONLY public.custom_field_import_results FORCE ROW LEVEL SECURITY;

ALTER TABLE public.custom_field_import_results OWNER TO trailmark_owner;

CREATE TABLE public.custom_field_import_rows (
    import_id uuid NOT NULL,
    row_no integer NOT NULL,
    partner_id uuid NOT NULL,
    file_no smallint NOT NULL,
    line integer NOT NULL,
    cells jsonb NOT NULL,
    fault text
);

ALTER TABLE ONLY public.custom_field_import_rows FORCE ROW LEVEL SECURITY;

ALTER TABLE public.custom_field_import_rows OWNER TO trailmark_owner;

CREATE TABLE public.custom_field_imports (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    partner_id uuid NOT NULL,
    org_ids uuid[] NOT NULL,
    created_by uuid NOT NULL,
    created_by_name text NOT NULL,
    source text NOT NULL,
    status text DEFAULT 'draft'::text NOT NULL,
    files jsonb DEFAULT '[]'::jsonb NOT NULL,
    columns jsonb DEFAULT '[]'::jsonb NOT NULL,
    plan jsonb,
    summary jsonb DEFAULT '{}'::jsonb NOT NULL,
    fingerprint text,
    total_rows integer DEFAULT 0 NOT NULL,
    job text,
    job_done integer DEFAULT 0 NOT NULL,
    job_started_at timestamp(3) with time zone,
    lease_owner text,
    lease_until timestamp(3) with time zone,
    cancel_requested boolean DEFAULT false NOT NULL,
    error text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    started_at timestamp(3) with time zone,
    finished_at timestamp(3) with time zone,
    undone_at timestamp(3) with time zone,
    applied_through integer DEFAULT 0 NOT NULL,
    CONSTRAINT custom_field_imports_job_check CHECK ((job = ANY (ARRAY['stage'::text, 'check'::text, 'apply'::text, 'undo'::text]))),
    CONSTRAINT custom_field_imports_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'staged'::text, 'checked'::text, 'running'::text, 'done'::text, 'cancelled'::text, 'undone'::text])))
);

ALTER TABLE ONLY public.custom_field_imports FORCE ROW LEVEL SECURITY;

ALTER TABLE public.custom_field_imports OWNER TO trailmark_owner;

CREATE TABLE public.custom_field_values (
    device_id uuid NOT NULL,
    org_id uuid NOT NULL,
    "values" jsonb NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT custom_field_values_object_check CHECK ((jsonb_typeof("values") = 'object'::text))
);

ALTER TABLE ONLY public.custom_field_values FORCE ROW LEVEL SECURITY;

ALTER TABLE public.custom_field_values OWNER TO trailmark_owner;

CREATE TABLE public.device_event_logs (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    device_id uuid NOT NULL,
    org_id uuid NOT NULL,
    "timestamp" timestamp(3) with time zone NOT NULL,
    level text NOT NULL,
    category text NOT NULL,
    source character varying(255) NOT NULL,
    event_id character varying(100),
    message text NOT NULL,
    details jsonb,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT device_event_logs_category_check CHECK ((category = ANY (ARRAY['security'::text, 'hardware'::text, 'application'::text, 'system'::text]))),
    CONSTRAINT device_event_logs_level_check CHECK ((level = ANY (ARRAY['info'::text, 'warning'::text, 'error'::text, 'critical'::text])))
);

ALTER TABLE ONLY public.device_event_logs FORCE ROW LEVEL SECURITY;

ALTER TABLE public.device_event_logs OWNER TO trailmark_owner;

CREATE TABLE public.device_source_ids (
    partner_id uuid NOT NULL,
    source text NOT NULL,
    source_id text NOT NULL,
    device_id uuid NOT NULL,
    org_id uuid NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.device_source_ids FORCE ROW LEVEL SECURITY;

ALTER TABLE public.device_source_ids OWNER TO trailmark_owner;

CREATE TABLE public.devices (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    org_id uuid NOT NULL,
    hostname text NOT NULL,
    os text NOT NULL,
    os_version text,
    serial_number text,
    agent_version text,
    status text,
    metrics jsonb,
    last_ip text,
    last_seen_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    short_name text GENERATED ALWAYS AS (
CASE
    WHEN (hostname ~ '^[0-9.]+$'::text) THEN hostname
    ELSE split_part(lower(hostname), '.'::text, 1)
END) STORED
);

ALTER TABLE ONLY public.devices FORCE ROW LEVEL SECURITY;

ALTER TABLE public.devices OWNER TO trailmark_owner;

CREATE TABLE public.enrollment_keys (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    org_id uuid NOT NULL,
    prefix text NOT NULL,
    key_hash text NOT NULL,
    max_uses integer,
    uses integer DEFAULT 0 NOT NULL,
    expires_at timestamp(3) with time zone,
    revoked_at timestamp(3) with time zone,
    created_by uuid,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.enrollment_keys FORCE ROW LEVEL SECURITY;

ALTER TABLE public.enrollment_keys OWNER TO trailmark_owner;

CREATE UNLOGGED TABLE public.live_commands (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    device_id uuid NOT NULL,
    agent_id text NOT NULL,
    stream_id uuid NOT NULL,
    process_id uuid NOT NULL,
    asker_id uuid NOT NULL,
    name text NOT NULL,
    params text NOT NULL,
    deadline timestamp(3) with time zone NOT NULL,
    state text NOT NULL,
    result text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT live_commands_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'delivered'::text, 'answered'::text, 'broken'::text])))
);

ALTER TABLE ONLY public.live_commands FORCE ROW LEVEL SECURITY;

ALTER TABLE public.live_commands OWNER TO trailmark_owner;

CREATE TABLE public.organizations (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    partner_id uuid NOT NULL,
    name text NOT NULL,
    slug text NOT NULL,
    is_home boolean DEFAULT false NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.organizations FORCE ROW LEVEL SECURITY;

ALTER TABLE public.organizations OWNER TO trailmark_owner;

CREATE TABLE public.partners (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    slug text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.partners FORCE ROW LEVEL SECURITY;

ALTER TABLE public.partners OWNER TO trailmark_owner;

CREATE TABLE public.refresh_tokens (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    family_id uuid NOT NULL,
    user_id uuid NOT NULL,
    token_hash text NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    used_at timestamp(3) with time zone,
    revoked_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.refresh_tokens FORCE ROW LEVEL SECURITY;

ALTER TABLE public.refresh_tokens OWNER TO trailmark_owner;

CREATE TABLE public.user_organizations (
    user_id uuid NOT NULL,
    org_id uuid NOT NULL
);

ALTER TABLE ONLY public.user_organizations FORCE ROW LEVEL SECURITY;

ALTER TABLE public.user_organizations OWNER TO trailmark_owner;

CREATE TABLE public.user_preferences (
    user_id uuid NOT NULL,
    key text NOT NULL,
    value jsonb NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT user_preferences_value_check CHECK ((length((value)::text) <= 8192))
);

ALTER TABLE ONLY public.user_preferences FORCE ROW LEVEL SECURITY;

ALTER TABLE public.user_preferences OWNER TO trailmark_owner;

CREATE TABLE public.users (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    partner_id uuid,
    org_id uuid,
    email text NOT NULL,
    name text NOT NULL,
    password_hash text NOT NULL,
    role text NOT NULL,
    department text DEFAULT ''::text NOT NULL,
    all_organizations boolean DEFAULT true NOT NULL,
    disabled_at timestamp(3) with time zone,
    last_login_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.users FORCE ROW LEVEL SECURITY;

ALTER TABLE public.users OWNER TO trailmark_owner;

ALTER TABLE ONLY pgboss.job ATTACH PARTITION pgboss.j3f168501ed9816b51a9f5765e0742e1eb034ab6bf72c9ae3f3a975e3 FOR VALUES IN ('__pgboss__send-it');

ALTER TABLE ONLY pgboss.job ATTACH PARTITION pgboss.j810862194b3319c141f4da742ece1efa20bc50510d682a1a855137fc FOR VALUES IN ('retention');

ALTER TABLE ONLY pgboss.job ATTACH PARTITION pgboss.jb336de88984af0ca24bb2b3ab28dc9142924d1dcc8dbb6d2d40ce02c FOR VALUES IN ('verification');

ALTER TABLE ONLY drizzle.__drizzle_migrations ALTER COLUMN id SET DEFAULT nextval('drizzle.__drizzle_migrations_id_seq'::regclass);

INSERT INTO drizzle.__drizzle_migrations VALUES
	(1, '27f65ef2c411b6461b4eb33b2493cfb5eedf825ef010f9a5b9d4f6bb47f0f996', 1795188478091),
	(2, 'e60d286bc9047e9c7c807942e048d666c69cb5f17002d310cbcaf085d893c66c', 1795188478709),
	(3, 'e2a2df1e4fa8225e8ac657a778b89b58b62e4671ef89703c0727817a75b8f198', 1795188568661),
	(4, '252a5fca4a84c64726acc061fc6c04a206b79be1abc468e2dc71959114cc2334', 1795188569228),
	(5, 'ea2eb95aada9351de0fd4b50d72fadaafe65436b8308978147afc5d5327b73f4', 1795189729071),
	(6, '9165e95b5b89dfd6a0fe9cdd7a82a0964de8381ecb1c12dbc00b575655081f30', 1795189729773),
	(7, '059f55dcd516c887d399a4d938cc37746635ae1663e9d59a7295f7858862955c', 1795189855319),
	(8, '3eb56099110538625cc55158f634436e8b562744410a3a6c1cac194a0562fb1c', 1795189886487),
	(9, '921f171e36ac01377e5e27623f9e0ec6e89dcbbb73216bc3940097c84ec132cb', 1795190190726),
	(10, 'b2d0977f1a882a82e2b0c6be97c3b11134e4d7bda0000eb8be0c7218e9f1be54', 1795190191318),
	(11, 'fbbbf7594843ecfca63e18b68345e347364a5702521176ed0deae8d88a73e3d9', 1795191167208),
	(12, 'f880bd0fd0a28bcf367223c958c6bbc8de7b3f845973377ddebbba37c247664c', 1795191168236),
	(13, '5a00e32af7d71b7ea3845b9ea2e2bed3e0b783dcde56e432a885f4aa790a25f0', 1795192088192),
	(14, '7111a867b2718e33041cbcfe7ad53cd0db99fdb0262f8b21c7604c160d20ff18', 1795192089658),
	(15, 'df3939a45ab09c4c240fe1eca6fd772a9a8c361610f8fee7c0f299d9de01347f', 1795193211895),
	(16, '35b052a61c21c96b3b0f13c27dffe4f8cff661e20d2439ff1f5755c3892987e3', 1795193215379),
	(17, '993b7b8cc6e49f6f6f669408fb054f7573e7e1318ea43fac4b003cc1c0bfeb38', 1795194043514),
	(18, 'fbd518e810ad4fed885ec1aa38236ee9bba02789a16c2a34fe4f96fba366d796', 1795194446514),
	(19, 'd12c6c43dcb376cdab62385b2332f4e8669758e32933faec3d89298bf6218096', 1795194475724),
	(20, '5d652d76676c71c44a00d74bcb117f8a1c73d18ac5d31b5ade0009d4e8de04d7', 1795195469094),
	(21, 'b38d0f0b13737888c23da0bb61ecfc80c9f603f83d597b46ef5d627ee0fac03e', 1795195589975),
	(22, 'a2aa15f7d50a82660bec3889eeb89cf25a1eb5a115f4a304e118e368f4935e7e', 1795199646938),
	(23, '055bb2f6eb60c000ea477a368d12080d3fed25726c2349524456e657c23ec495', 1795200027889),
	(24, '666697e6719ca62203ed64823f91edc17a181a55218997e4351a00de0dbb3f02', 1795200028558);

INSERT INTO pgboss.queue VALUES
	('__pgboss__send-it', 'standard', NULL, NULL, NULL, NULL, NULL, NULL, 'j3f168501ed9816b51a9f5765e0742e1eb034ab6bf72c9ae3f3a975e3', '2026-11-22 02:33:05.437149+00', '2026-11-22 02:33:05.437149+00'),
	('retention', 'standard', 2, 600, NULL, 21600, NULL, NULL, 'j810862194b3319c141f4da742ece1efa20bc50510d682a1a855137fc', '2026-11-22 02:33:05.437149+00', '2026-11-22 02:33:05.437149+00'),
	('verification', 'standard', 2, 600, NULL, 21600, NULL, NULL, 'jb336de88984af0ca24bb2b3ab28dc9142924d1dcc8dbb6d2d40ce02c', '2026-11-22 02:33:05.437149+00', '2026-11-22 02:33:05.437149+00');

INSERT INTO pgboss.version VALUES
	(24, NULL, NULL, NULL);

INSERT INTO public.audit_chain_heads VALUES
	('0110000a-0000-4000-8000-000000000002', 53, '6fda5032846b33fdfffb21638f2dd714c480c95df457e46b9a594c0042078a5f', 0, NULL),
	('0110000a-0000-4000-8000-000000000003', 13, '7dcac0a7f69891427c2552781eefe67241b3747fafbdcfa82241a964203beaee', 4, '0bfdb7bf25633c3e8a17e384cbb8c8668929e8032d7647787367e4dc1b2de1d1');

INSERT INTO public.audit_logs VALUES
	('0110000a-0000-4000-8000-000000100001', '0110000a-0000-4000-8000-000000000002', '2024-03-01 08:01:00.001+00', 'api_key', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'device.update', 'device', '0110000a-0000-4000-8000-000000000005', 'WS-1.alder.example', NULL, '203.0.113.7', 'curl/8', 'failure', 'refused', '70675ab20baa22aee21b466ed80977ab339dcf9b8dbbbcb65260c640cc8032ff', NULL, 1, NULL),
	('0110000a-0000-4000-8000-000000100002', '0110000a-0000-4000-8000-000000000002', '2024-03-01 08:02:00.002+00', 'agent', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'script.run', 'user', NULL, 'Žofie', '{"big": 12345678901234567890.10, "text": "Büro   😀"}', '203.0.113.7', 'curl/8', 'denied', 'refused', 'b1caac11274f091ac6367c683a927cb1471ab5fab9c0fb5d9bad67810c322c2a', '70675ab20baa22aee21b466ed80977ab339dcf9b8dbbbcb65260c640cc8032ff', 2, NULL),
	('0110000a-0000-4000-8000-000000100003', '0110000a-0000-4000-8000-000000000002', '2024-03-01 08:03:00+00', 'system', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'user.login', 'device', '0110000a-0000-4000-8000-000000000005', 'WS-1.alder.example', '{}', '2001:db8::7', 'curl/8', 'success', NULL, 'a19bf5e6a4409d219baf3d41c3a2eff21782cb924cec6c3d1e3856a2e5130ad7', 'b1caac11274f091ac6367c683a927cb1471ab5fab9c0fb5d9bad67810c322c2a', 3, NULL),
	('0110000a-0000-4000-8000-000000100004', '0110000a-0000-4000-8000-000000000002', '2024-03-01 08:04:00.001+00', 'ai_agent', '0110000a-0000-4000-8000-000000000004', NULL, 'device.update', 'user', NULL, 'Žofie', '{"n": 1.0, "after": {"name": "b"}, "before": {"name": "a"}}', '203.0.113.7', 'curl/8', 'failure', 'refused', '0a63ddc43adcd0adadeef6eb36933372c7d05edf23bb21fcdf6b5d42fd165fdc', 'a19bf5e6a4409d219baf3d41c3a2eff21782cb924cec6c3d1e3856a2e5130ad7', 4, NULL),
	('0110000a-0000-4000-8000-000000100005', '0110000a-0000-4000-8000-000000000002', '2024-03-01 08:05:00.002+00', 'user', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'script.run', 'device', '0110000a-0000-4000-8000-000000000005', 'WS-1.alder.example', NULL, '203.0.113.7', NULL, 'denied', 'refused', '45b0f54fd056f49dd2dc72828223b1b540f9e5e2c717a78c64f1d7275232a962', '0a63ddc43adcd0adadeef6eb36933372c7d05edf23bb21fcdf6b5d42fd165fdc', 5, NULL),
	('0110000a-0000-4000-8000-000000100006', '0110000a-0000-4000-8000-000000000002', '2024-03-01 08:06:00+00', 'api_key', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'user.login', 'user', NULL, 'Žofie', '{"big": 12345678901234567890.10, "text": "Büro   😀"}', '2001:db8::7', 'curl/8', 'success', NULL, 'c96f13383dddff12c5c3f684b74c2affd2d6e1fc4f432ff4044b89ddcb82cd78', '45b0f54fd056f49dd2dc72828223b1b540f9e5e2c717a78c64f1d7275232a962', 6, NULL),
	('0110000a-0000-4000-8000-000000100007', '0110000a-0000-4000-8000-000000000002', '2024-03-01 08:07:00.001+00', 'agent', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'device.update', 'device', '0110000a-0000-4000-8000-000000000005', 'WS-1.alder.example', '{}', '203.0.113.7', 'curl/8', 'failure', 'refused', '0779c57a055fff50e5b636094bfe320f610fe08e6bbd80c9427aa75eb53c02aa', 'c96f13383dddff12c5c3f684b74c2affd2d6e1fc4f432ff4044b89ddcb82cd78', 7, NULL),
	('0110000a-0000-4000-8000-000000100008', '0110000a-0000-4000-8000-000000000002', '2024-03-01 08:08:00.002+00', 'system', '0110000a-0000-4000-8000-000000000004', NULL, 'script.run', 'user', NULL, 'Žofie', '{"n": 1.0, "after": {"name": "b"}, "before": {"name": "a"}}', '203.0.113.7', 'curl/8', 'denied', 'refused', '07b6ac6e3f2728d507d49e779e3944eca29459c1211f40f53a40a37b30333c9d', '0779c57a055fff50e5b636094bfe320f610fe08e6bbd80c9427aa75eb53c02aa', 8, NULL),
	('0110000a-0000-4000-8000-000000100009', '0110000a-0000-4000-8000-000000000002', '2024-03-01 08:09:00+00', 'ai_agent', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'user.login', 'device', '0110000a-0000-4000-8000-000000000005', 'WS-1.alder.example', NULL, '2001:db8::7', 'curl/8', 'success', NULL, '24b1b05bb41becc155ffe73cd02f14acffc13baa21445e515d4d48c0fc4fe831', '07b6ac6e3f2728d507d49e779e3944eca29459c1211f40f53a40a37b30333c9d', 9, NULL),
	('0110000a-0000-4000-8000-000000100010', '0110000a-0000-4000-8000-000000000002', '2024-03-01 08:10:00.001+00', 'user', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'device.update', 'user', NULL, 'Žofie', '{"big": 12345678901234567890.10, "text": "Büro   😀"}', '203.0.113.7', NULL, 'failure', 'refused', 'faa595c78e56f005c349ddd3f3c9296376fcfcf9c303facb3e9a63ce3ae89739', '24b1b05bb41becc155ffe73cd02f14acffc13baa21445e515d4d48c0fc4fe831', 10, NULL),
	('0110000a-0000-4000-8000-000000100011', '0110000a-0000-4000-8000-000000000002', '2024-03-01 08:11:00.002+00', 'api_key', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'script.run', 'device', '0110000a-0000-4000-8000-000000000005', 'WS-1.alder.example', '{}', '203.0.113.7', 'curl/8', 'denied', 'refused', 'e3ed1b0fd6bd5bc2735be4f8b7a31572442999c6f7f1fa2861da4a023f1bfe1e', 'faa595c78e56f005c349ddd3f3c9296376fcfcf9c303facb3e9a63ce3ae89739', 11, NULL),
	('0110000a-0000-4000-8000-000000100012', '0110000a-0000-4000-8000-000000000002', '2024-03-01 08:12:00+00', 'agent', '0110000a-0000-4000-8000-000000000004', NULL, 'user.login', 'user', NULL, 'Žofie', '{"n": 1.0, "after": {"name": "b"}, "before": {"name": "a"}}', '2001:db8::7', 'curl/8', 'success', NULL, 'c28c2db1f54cd3273c2e24e54a8706db02a3974210e2a3a339e758cd869962f9', 'e3ed1b0fd6bd5bc2735be4f8b7a31572442999c6f7f1fa2861da4a023f1bfe1e', 12, NULL),
	('0110000a-0000-4000-8000-000000100013', '0110000a-0000-4000-8000-000000000002', '2024-03-01 08:13:00.001+00', 'system', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'device.update', 'device', '0110000a-0000-4000-8000-000000000005', 'WS-1.alder.example', NULL, '203.0.113.7', 'curl/8', 'failure', 'refused', '4d7f30e2fcab45f8d01c12f40fcbb351285f62bdd710aaf4dcef4714fe1cf8a7', 'c28c2db1f54cd3273c2e24e54a8706db02a3974210e2a3a339e758cd869962f9', 13, NULL),
	('0110000a-0000-4000-8000-000000100014', '0110000a-0000-4000-8000-000000000002', '2024-03-01 08:14:00.002+00', 'ai_agent', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'script.run', 'user', NULL, 'Žofie', '{"big": 12345678901234567890.10, "text": "Büro   😀"}', '203.0.113.7', 'curl/8', 'denied', 'refused', '9959b157145cfea69b8b79e627a03c31a0928312b6691db7f4a7c346801b35cd', '4d7f30e2fcab45f8d01c12f40fcbb351285f62bdd710aaf4dcef4714fe1cf8a7', 14, NULL),
	('0110000a-0000-4000-8000-000000100015', '0110000a-0000-4000-8000-000000000002', '2024-03-01 08:15:00+00', 'user', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'user.login', 'device', '0110000a-0000-4000-8000-000000000005', 'WS-1.alder.example', '{}', '2001:db8::7', NULL, 'success', NULL, 'a91756a6e7d6fae9c4378e5019c4c6fe63155fbe26da988283a0432bcccb50a6', '9959b157145cfea69b8b79e627a03c31a0928312b6691db7f4a7c346801b35cd', 15, NULL),
	('0110000a-0000-4000-8000-000000100016', '0110000a-0000-4000-8000-000000000002', '2024-03-01 08:16:00.001+00', 'api_key', '0110000a-0000-4000-8000-000000000004', NULL, 'device.update', 'user', NULL, 'Žofie', '{"n": 1.0, "after": {"name": "b"}, "before": {"name": "a"}}', '203.0.113.7', 'curl/8', 'failure', 'refused', 'c49d125911963ba9f62929d626e423d11c75bd8420516eee4cf7bfd50f894419', 'a91756a6e7d6fae9c4378e5019c4c6fe63155fbe26da988283a0432bcccb50a6', 16, NULL),
	('0110000a-0000-4000-8000-000000100017', '0110000a-0000-4000-8000-000000000002', '2024-03-01 08:17:00.002+00', 'agent', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'script.run', 'device', '0110000a-0000-4000-8000-000000000005', 'WS-1.alder.example', NULL, '203.0.113.7', 'curl/8', 'denied', 'refused', '58c0a2b122eae5a4bbcb51e1d4990f53f0665f88b6d9cfa73a11a5cb23332029', 'c49d125911963ba9f62929d626e423d11c75bd8420516eee4cf7bfd50f894419', 17, NULL),
	('0110000a-0000-4000-8000-000000100018', '0110000a-0000-4000-8000-000000000002', '2024-03-01 08:18:00+00', 'system', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'user.login', 'user', NULL, 'Žofie', '{"big": 12345678901234567890.10, "text": "Büro   😀"}', '2001:db8::7', 'curl/8', 'success', NULL, '4beba200165db92ea7858a8052e1a8f163641f707cc80bab85a8f99a32934adb', '58c0a2b122eae5a4bbcb51e1d4990f53f0665f88b6d9cfa73a11a5cb23332029', 18, NULL),
	('0110000a-0000-4000-8000-000000100019', '0110000a-0000-4000-8000-000000000002', '2024-03-01 08:19:00.001+00', 'ai_agent', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'device.update', 'device', '0110000a-0000-4000-8000-000000000005', 'WS-1.alder.example', '{}', '203.0.113.7', 'curl/8', 'failure', 'refused', '9c455b2a243b993daf55eeb9d696b8da83b9a026ff676bcf0f5cf551f1863883', '4beba200165db92ea7858a8052e1a8f163641f707cc80bab85a8f99a32934adb', 19, NULL),
	('0110000a-0000-4000-8000-000000100020', '0110000a-0000-4000-8000-000000000002', '2024-03-01 08:20:00.002+00', 'user', '0110000a-0000-4000-8000-000000000004', NULL, 'script.run', 'user', NULL, 'Žofie', '{"n": 1.0, "after": {"name": "b"}, "before": {"name": "a"}}', '203.0.113.7', NULL, 'denied', 'refused', '4ee90c1aa9e244f31785e440e2ab8e65b9488e20328d84675587d8b61f0d1cab', '9c455b2a243b993daf55eeb9d696b8da83b9a026ff676bcf0f5cf551f1863883', 20, NULL),
	('0110000a-0000-4000-8000-000000100021', '0110000a-0000-4000-8000-000000000002', '2024-03-01 08:21:00+00', 'api_key', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'user.login', 'device', '0110000a-0000-4000-8000-000000000005', 'WS-1.alder.example', NULL, '2001:db8::7', 'curl/8', 'success', NULL, '758534ab91661b5b7d6d838d2628d138211c717f84ef924b6f4a88bc5e2bb37c', '4ee90c1aa9e244f31785e440e2ab8e65b9488e20328d84675587d8b61f0d1cab', 21, NULL),
	('0110000a-0000-4000-8000-000000100022', '0110000a-0000-4000-8000-000000000002', '2024-03-01 08:22:00.001+00', 'agent', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'device.update', 'user', NULL, 'Žofie', '{"big": 12345678901234567890.10, "text": "Büro   😀"}', '203.0.113.7', 'curl/8', 'failure', 'refused', '5353ba0ec0449c81d6d9464de251ad9d0d8515d226572b43df787b71705f1b25', '758534ab91661b5b7d6d838d2628d138211c717f84ef924b6f4a88bc5e2bb37c', 22, NULL),
	('0110000a-0000-4000-8000-000000100023', '0110000a-0000-4000-8000-000000000002', '2024-03-01 08:23:00.002+00', 'system', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'script.run', 'device', '0110000a-0000-4000-8000-000000000005', 'WS-1.alder.example', '{}', '203.0.113.7', 'curl/8', 'denied', 'refused', '1aad21b78511ea7d9718265a4c12efa4d919990bd05c67bbbfedb3e727dcab30', '5353ba0ec0449c81d6d9464de251ad9d0d8515d226572b43df787b71705f1b25', 23, NULL),
	('0110000a-0000-4000-8000-000000100024', '0110000a-0000-4000-8000-000000000002', '2024-03-01 08:24:00+00', 'ai_agent', '0110000a-0000-4000-8000-000000000004', NULL, 'user.login', 'user', NULL, 'Žofie', '{"n": 1.0, "after": {"name": "b"}, "before": {"name": "a"}}', '2001:db8::7', 'curl/8', 'success', NULL, 'f9a84bf0d6eb352bfe5c244ebfc66dbe22105ba744189ca7e90a9bf85752f0e7', '1aad21b78511ea7d9718265a4c12efa4d919990bd05c67bbbfedb3e727dcab30', 24, NULL),
	('0110000a-0000-4000-8000-000000100025', '0110000a-0000-4000-8000-000000000002', '2024-03-01 08:25:00.001+00', 'user', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'device.update', 'device', '0110000a-0000-4000-8000-000000000005', 'WS-1.alder.example', NULL, '203.0.113.7', NULL, 'failure', 'refused', '939bd38e8c43bb1d7077b9853544c7b81f031e2474096a616c57981ded15f195', 'f9a84bf0d6eb352bfe5c244ebfc66dbe22105ba744189ca7e90a9bf85752f0e7', 25, NULL),
	('0110000a-0000-4000-8000-000000200005', '0110000a-0000-4000-8000-000000000003', '2023-03-01 08:05:00.002+00', 'user', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'script.run', 'device', '0110000a-0000-4000-8000-000000000005', 'WS-1.alder.example', NULL, '203.0.113.7', NULL, 'denied', 'refused', '82ab9e2283ead6a22876a43efbafd1830fb7cda99fc1e04564de3b4f8ec37ba8', '0bfdb7bf25633c3e8a17e384cbb8c8668929e8032d7647787367e4dc1b2de1d1', 5, NULL),
	('0110000a-0000-4000-8000-000000200006', '0110000a-0000-4000-8000-000000000003', '2023-03-01 08:06:00+00', 'api_key', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'user.login', 'user', NULL, 'Žofie', '{"big": 12345678901234567890.10, "text": "Büro   😀"}', '2001:db8::7', 'curl/8', 'success', NULL, 'fbf3561808a547bbf3d45541dc9b46c86329b50208cfb1fc3bdfc9f87b71d96c', '82ab9e2283ead6a22876a43efbafd1830fb7cda99fc1e04564de3b4f8ec37ba8', 6, NULL),
	('0110000a-0000-4000-8000-000000100026', '0110000a-0000-4000-8000-000000000002', '2036-11-20 08:26:00.002+00', 'api_key', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'script.run', 'user', NULL, 'Žofie', '{"big": 12345678901234567890.10, "text": "Büro   😀"}', '203.0.113.7', 'curl/8', 'denied', 'refused', 'cdc73301dabcc144279f96482cd84180e77f1dfd481b5c53dca80093a2020067', '939bd38e8c43bb1d7077b9853544c7b81f031e2474096a616c57981ded15f195', 26, NULL),
	('0110000a-0000-4000-8000-000000100027', '0110000a-0000-4000-8000-000000000002', '2036-11-20 08:27:00+00', 'agent', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'user.login', 'device', '0110000a-0000-4000-8000-000000000005', 'WS-1.alder.example', '{}', '2001:db8::7', 'curl/8', 'success', NULL, '203bbdb2fbb8c58c1cd7e99909b72dcac8056b947191b527c4b73f40e3109b90', 'cdc73301dabcc144279f96482cd84180e77f1dfd481b5c53dca80093a2020067', 27, NULL),
	('0110000a-0000-4000-8000-000000100028', '0110000a-0000-4000-8000-000000000002', '2036-11-20 08:28:00.001+00', 'system', '0110000a-0000-4000-8000-000000000004', NULL, 'device.update', 'user', NULL, 'Žofie', '{"n": 1.0, "after": {"name": "b"}, "before": {"name": "a"}}', '203.0.113.7', 'curl/8', 'failure', 'refused', '66b1ea1d920f24d573ee52cf4d3f82b8d7fb9eb38e418bd430785e8b019e695d', '203bbdb2fbb8c58c1cd7e99909b72dcac8056b947191b527c4b73f40e3109b90', 28, NULL),
	('0110000a-0000-4000-8000-000000100029', '0110000a-0000-4000-8000-000000000002', '2036-11-20 08:29:00.002+00', 'ai_agent', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'script.run', 'device', '0110000a-0000-4000-8000-000000000005', 'WS-1.alder.example', NULL, '203.0.113.7', 'curl/8', 'denied', 'refused', '5706edd5bc539c19f6094fab25d1a5bc233c4e67e705cda9a98b08316e74ed62', '66b1ea1d920f24d573ee52cf4d3f82b8d7fb9eb38e418bd430785e8b019e695d', 29, NULL),
	('0110000a-0000-4000-8000-000000100030', '0110000a-0000-4000-8000-000000000002', '2036-11-20 08:30:00+00', 'user', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'user.login', 'user', NULL, 'Žofie', '{"big": 12345678901234567890.10, "text": "Büro   😀"}', '2001:db8::7', NULL, 'success', NULL, '00d8d0efd0f61da5e89a4f18edd29e7217f104d2e1809ef9886140624484ef3a', '5706edd5bc539c19f6094fab25d1a5bc233c4e67e705cda9a98b08316e74ed62', 30, NULL),
	('0110000a-0000-4000-8000-000000100031', '0110000a-0000-4000-8000-000000000002', '2036-11-20 08:31:00.001+00', 'api_key', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'device.update', 'device', '0110000a-0000-4000-8000-000000000005', 'WS-1.alder.example', '{}', '203.0.113.7', 'curl/8', 'failure', 'refused', '85e577e6c9fccf3df2efca7ff9efdf9a7b64d07e6596ec1eae586484e87bd365', '00d8d0efd0f61da5e89a4f18edd29e7217f104d2e1809ef9886140624484ef3a', 31, NULL),
	('0110000a-0000-4000-8000-000000100032', '0110000a-0000-4000-8000-000000000002', '2036-11-20 08:32:00.002+00', 'agent', '0110000a-0000-4000-8000-000000000004', NULL, 'script.run', 'user', NULL, 'Žofie', '{"n": 1.0, "after": {"name": "b"}, "before": {"name": "a"}}', '203.0.113.7', 'curl/8', 'denied', 'refused', '9cd820caddbf94049c608cd9aa3d1fa63e8f5311ed92bbd5f86654409aeb98d5', '85e577e6c9fccf3df2efca7ff9efdf9a7b64d07e6596ec1eae586484e87bd365', 32, NULL),
	('0110000a-0000-4000-8000-000000100033', '0110000a-0000-4000-8000-000000000002', '2036-11-20 08:33:00+00', 'system', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'user.login', 'device', '0110000a-0000-4000-8000-000000000005', 'WS-1.alder.example', NULL, '2001:db8::7', 'curl/8', 'success', NULL, 'a3b60c1cd4407876ca9a49b9e241a33588c344c66b2a43abab8d74fe55a13d0e', '9cd820caddbf94049c608cd9aa3d1fa63e8f5311ed92bbd5f86654409aeb98d5', 33, NULL),
	('0110000a-0000-4000-8000-000000100034', '0110000a-0000-4000-8000-000000000002', '2036-11-20 08:34:00.001+00', 'ai_agent', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'device.update', 'user', NULL, 'Žofie', '{"big": 12345678901234567890.10, "text": "Büro   😀"}', '203.0.113.7', 'curl/8', 'failure', 'refused', 'cc39afc6e2fe1eb569d1f64624d00dcdcbffd4142d257f96bfc2fd27540d049b', 'a3b60c1cd4407876ca9a49b9e241a33588c344c66b2a43abab8d74fe55a13d0e', 34, NULL),
	('0110000a-0000-4000-8000-000000100035', '0110000a-0000-4000-8000-000000000002', '2036-11-20 08:35:00.002+00', 'user', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'script.run', 'device', '0110000a-0000-4000-8000-000000000005', 'WS-1.alder.example', '{}', '203.0.113.7', NULL, 'denied', 'refused', 'ea7e68dab40fc918f61c97df8455be529f56b229440abaaf63918b713d28030a', 'cc39afc6e2fe1eb569d1f64624d00dcdcbffd4142d257f96bfc2fd27540d049b', 35, NULL),
	('0110000a-0000-4000-8000-000000300001', '0110000a-0000-4000-8000-000000000002', '2036-11-21 09:00:00+00', 'system', '0110000a-0000-4000-8000-000000000004', NULL, 'test.raw', 'test', NULL, NULL, '{"n": 1}', NULL, NULL, 'success', NULL, 'fe4cdc0db6088c73e78cd901f74a4794f27180efe43d72fdc92dec7445110a71', 'f10c31969e056f284745f82e96fb97c52dd99f83d0b2bbf5eb0094dfc2d8edd8', 52, NULL),
	('0110000a-0000-4000-8000-000000100036', '0110000a-0000-4000-8000-000000000002', '2036-11-20 08:36:00+00', 'api_key', '0110000a-0000-4000-8000-000000000004', NULL, 'user.login', 'user', NULL, 'Žofie', '{"n": 1.0, "after": {"name": "b"}, "before": {"name": "a"}}', '2001:db8::7', 'curl/8', 'success', NULL, 'e290f12fe9ee83fad4cc6e560fbf7534b27942a5e4c8cb2693897ada55a2fe23', 'ea7e68dab40fc918f61c97df8455be529f56b229440abaaf63918b713d28030a', 36, NULL),
	('0110000a-0000-4000-8000-000000100037', '0110000a-0000-4000-8000-000000000002', '2036-11-20 08:37:00.001+00', 'agent', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'device.update', 'device', '0110000a-0000-4000-8000-000000000005', 'WS-1.alder.example', NULL, '203.0.113.7', 'curl/8', 'failure', 'refused', '328519d83760033dc90ec3dd16b6fff8a10c0655515ac85ae17a1d508a1acb39', 'e290f12fe9ee83fad4cc6e560fbf7534b27942a5e4c8cb2693897ada55a2fe23', 37, NULL),
	('0110000a-0000-4000-8000-000000100038', '0110000a-0000-4000-8000-000000000002', '2036-11-20 08:38:00.002+00', 'system', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'script.run', 'user', NULL, 'Žofie', '{"big": 12345678901234567890.10, "text": "Büro   😀"}', '203.0.113.7', 'curl/8', 'denied', 'refused', '918d14bfa31a81846ed870c78c5ca7185fe5f45b3637863902381dae1434d35f', '328519d83760033dc90ec3dd16b6fff8a10c0655515ac85ae17a1d508a1acb39', 38, NULL),
	('0110000a-0000-4000-8000-000000100039', '0110000a-0000-4000-8000-000000000002', '2036-11-20 08:39:00+00', 'ai_agent', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'user.login', 'device', '0110000a-0000-4000-8000-000000000005', 'WS-1.alder.example', '{}', '2001:db8::7', 'curl/8', 'success', NULL, '1a1ac8905dffd0dc8fd89f807d3ccb4ef8b8c53085795ddadc4a29384f13b8fb', '918d14bfa31a81846ed870c78c5ca7185fe5f45b3637863902381dae1434d35f', 39, NULL),
	('0110000a-0000-4000-8000-000000100040', '0110000a-0000-4000-8000-000000000002', '2036-11-20 08:40:00.001+00', 'user', '0110000a-0000-4000-8000-000000000004', NULL, 'device.update', 'user', NULL, 'Žofie', '{"n": 1.0, "after": {"name": "b"}, "before": {"name": "a"}}', '203.0.113.7', NULL, 'failure', 'refused', '01e016d8ba834046bd6e2544cd26defdd974673fa6fd002584f8e75ae8725f5e', '1a1ac8905dffd0dc8fd89f807d3ccb4ef8b8c53085795ddadc4a29384f13b8fb', 40, NULL),
	('0110000a-0000-4000-8000-000000100041', '0110000a-0000-4000-8000-000000000002', '2036-11-20 08:41:00.002+00', 'api_key', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'script.run', 'device', '0110000a-0000-4000-8000-000000000005', 'WS-1.alder.example', NULL, '203.0.113.7', 'curl/8', 'denied', 'refused', '98d5aadcffbf07c9117a3705747f25aced0105f6d19f4da2b92e8e87f1d40f76', '01e016d8ba834046bd6e2544cd26defdd974673fa6fd002584f8e75ae8725f5e', 41, NULL),
	('0110000a-0000-4000-8000-000000100042', '0110000a-0000-4000-8000-000000000002', '2036-11-20 08:42:00+00', 'agent', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'user.login', 'user', NULL, 'Žofie', '{"big": 12345678901234567890.10, "text": "Büro   😀"}', '2001:db8::7', 'curl/8', 'success', NULL, 'fba17df387d58093df9884b7453e53e741e18074dce0c6e5fd3fa0903d481bcd', '98d5aadcffbf07c9117a3705747f25aced0105f6d19f4da2b92e8e87f1d40f76', 42, NULL),
	('0110000a-0000-4000-8000-000000100043', '0110000a-0000-4000-8000-000000000002', '2036-11-20 08:43:00.001+00', 'system', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'device.update', 'device', '0110000a-0000-4000-8000-000000000005', 'WS-1.alder.example', '{}', '203.0.113.7', 'curl/8', 'failure', 'refused', '874609d8c3b1a33d537b0ec6a040a74be1bb2ff12e65862c1ca658b933f3e4a5', 'fba17df387d58093df9884b7453e53e741e18074dce0c6e5fd3fa0903d481bcd', 43, NULL),
	('0110000a-0000-4000-8000-000000100044', '0110000a-0000-4000-8000-000000000002', '2036-11-20 08:44:00.002+00', 'ai_agent', '0110000a-0000-4000-8000-000000000004', NULL, 'script.run', 'user', NULL, 'Žofie', '{"n": 1.0, "after": {"name": "b"}, "before": {"name": "a"}}', '203.0.113.7', 'curl/8', 'denied', 'refused', '12245bcb0cb76c0ad54ef6e4c0943a757e1ec0dbd3947aa75ce705eadc67e5c6', '874609d8c3b1a33d537b0ec6a040a74be1bb2ff12e65862c1ca658b933f3e4a5', 44, NULL),
	('0110000a-0000-4000-8000-000000100045', '0110000a-0000-4000-8000-000000000002', '2036-11-20 08:45:00+00', 'user', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'user.login', 'device', '0110000a-0000-4000-8000-000000000005', 'WS-1.alder.example', NULL, '2001:db8::7', NULL, 'success', NULL, '7a833553c0abf59b2d7fc77a799da1b4f6fe1ebe52e00062fd1569eaed09f049', '12245bcb0cb76c0ad54ef6e4c0943a757e1ec0dbd3947aa75ce705eadc67e5c6', 45, NULL),
	('0110000a-0000-4000-8000-000000100046', '0110000a-0000-4000-8000-000000000002', '2036-11-20 08:46:00.001+00', 'api_key', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'device.update', 'user', NULL, 'Žofie', '{"big": 12345678901234567890.10, "text": "Büro   😀"}', '203.0.113.7', 'curl/8', 'failure', 'refused', 'b44bb5222435ed861177308fa1daed4a5353117518e9eb1df0b2c8536533a17a', '7a833553c0abf59b2d7fc77a799da1b4f6fe1ebe52e00062fd1569eaed09f049', 46, NULL),
	('0110000a-0000-4000-8000-000000100047', '0110000a-0000-4000-8000-000000000002', '2036-11-20 08:47:00.002+00', 'agent', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'script.run', 'device', '0110000a-0000-4000-8000-000000000005', 'WS-1.alder.example', '{}', '203.0.113.7', 'curl/8', 'denied', 'refused', '5cf4bffb0590d1fd3884285fbc484685200affc17bf8c2826194d379b40aea94', 'b44bb5222435ed861177308fa1daed4a5353117518e9eb1df0b2c8536533a17a', 47, NULL),
	('0110000a-0000-4000-8000-000000100048', '0110000a-0000-4000-8000-000000000002', '2036-11-20 08:48:00+00', 'system', '0110000a-0000-4000-8000-000000000004', NULL, 'user.login', 'user', NULL, 'Žofie', '{"n": 1.0, "after": {"name": "b"}, "before": {"name": "a"}}', '2001:db8::7', 'curl/8', 'success', NULL, 'fbac9cbd5513ecb007880dd109e655f8e51d0da990359466e2e8e907aefe4005', '5cf4bffb0590d1fd3884285fbc484685200affc17bf8c2826194d379b40aea94', 48, NULL),
	('0110000a-0000-4000-8000-000000100049', '0110000a-0000-4000-8000-000000000002', '2036-11-20 08:49:00.001+00', 'ai_agent', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'device.update', 'device', '0110000a-0000-4000-8000-000000000005', 'WS-1.alder.example', NULL, '203.0.113.7', 'curl/8', 'failure', 'refused', 'aeb00f273110d51a9df57da0bcdd938b7c80fc8340c87e7ec6f475735808522a', 'fbac9cbd5513ecb007880dd109e655f8e51d0da990359466e2e8e907aefe4005', 49, NULL),
	('0110000a-0000-4000-8000-000000100050', '0110000a-0000-4000-8000-000000000002', '2036-11-20 08:50:00.002+00', 'user', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'script.run', 'user', NULL, 'Žofie', '{"big": 12345678901234567890.10, "text": "Büro   😀"}', '203.0.113.7', NULL, 'denied', 'refused', '15626b6b38d85e1bf533feac712a6f68b21d1f3793b9ba991f88089a03482fd2', 'aeb00f273110d51a9df57da0bcdd938b7c80fc8340c87e7ec6f475735808522a', 50, NULL),
	('0110000a-0000-4000-8000-000000200007', '0110000a-0000-4000-8000-000000000003', '2036-11-20 08:07:00.001+00', 'agent', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'device.update', 'device', '0110000a-0000-4000-8000-000000000005', 'WS-1.alder.example', '{}', '203.0.113.7', 'curl/8', 'failure', 'refused', '0b22fdaf30e14e742e867a19649a7d5c3ae91036318aba12ec33d6bd0d06875c', 'fbf3561808a547bbf3d45541dc9b46c86329b50208cfb1fc3bdfc9f87b71d96c', 7, NULL),
	('0110000a-0000-4000-8000-000000200008', '0110000a-0000-4000-8000-000000000003', '2036-11-20 08:08:00.002+00', 'system', '0110000a-0000-4000-8000-000000000004', NULL, 'script.run', 'user', NULL, 'Žofie', '{"n": 1.0, "after": {"name": "b"}, "before": {"name": "a"}}', '203.0.113.7', 'curl/8', 'denied', 'refused', 'ff09a3d021369c25b2e37069a4b7c96158b616fda763534ffb3e8a18a0e5fe47', '0b22fdaf30e14e742e867a19649a7d5c3ae91036318aba12ec33d6bd0d06875c', 8, NULL),
	('0110000a-0000-4000-8000-000000200009', '0110000a-0000-4000-8000-000000000003', '2036-11-20 08:09:00+00', 'ai_agent', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'user.login', 'device', '0110000a-0000-4000-8000-000000000005', 'WS-1.alder.example', NULL, '2001:db8::7', 'curl/8', 'success', NULL, 'e45bb94c167b4549c4fec14e8ecd13ea0ad175ff93ca37a19213e7b469d6b6c1', 'ff09a3d021369c25b2e37069a4b7c96158b616fda763534ffb3e8a18a0e5fe47', 9, NULL),
	('0110000a-0000-4000-8000-000000200010', '0110000a-0000-4000-8000-000000000003', '2036-11-20 08:10:00.001+00', 'user', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'device.update', 'user', NULL, 'Žofie', '{"big": 12345678901234567890.10, "text": "Büro   😀"}', '203.0.113.7', NULL, 'failure', 'refused', 'c091fcd98b29af97236188c84105faec1ccb6080b0115cbab4784a300fdfe357', 'e45bb94c167b4549c4fec14e8ecd13ea0ad175ff93ca37a19213e7b469d6b6c1', 10, NULL),
	('0110000a-0000-4000-8000-000000200011', '0110000a-0000-4000-8000-000000000003', '2036-11-20 08:11:00.002+00', 'api_key', '0110000a-0000-4000-8000-000000000004', 'ana@example.com', 'script.run', 'device', '0110000a-0000-4000-8000-000000000005', 'WS-1.alder.example', '{}', '203.0.113.7', 'curl/8', 'denied', 'refused', '02e6da41a1e1bf4cc8513ac316c0c5f29670cbf4383d3f9f6b83518c9e86a05c', 'c091fcd98b29af97236188c84105faec1ccb6080b0115cbab4784a300fdfe357', 11, NULL),
	('0110000a-0000-4000-8000-000000200012', '0110000a-0000-4000-8000-000000000003', '2036-11-20 08:12:00+00', 'agent', '0110000a-0000-4000-8000-000000000004', NULL, 'user.login', 'user', NULL, 'Žofie', '{"n": 1.0, "after": {"name": "b"}, "before": {"name": "a"}}', '2001:db8::7', 'curl/8', 'success', NULL, '68e121966c2da44481346d30403eac0c977053b39d7aff9b06277ff4de5ef013', '02e6da41a1e1bf4cc8513ac316c0c5f29670cbf4383d3f9f6b83518c9e86a05c', 12, NULL),
	('0110000a-0000-4000-8000-000000300000', '0110000a-0000-4000-8000-000000000002', '2036-11-21 09:00:00+00', 'system', '0110000a-0000-4000-8000-000000000004', NULL, 'test.raw', 'test', NULL, NULL, '{"n": 0}', NULL, NULL, 'success', NULL, 'f10c31969e056f284745f82e96fb97c52dd99f83d0b2bbf5eb0094dfc2d8edd8', '15626b6b38d85e1bf533feac712a6f68b21d1f3793b9ba991f88089a03482fd2', 51, NULL),
	('0110000a-0000-4000-8000-000000300002', '0110000a-0000-4000-8000-000000000002', '2036-11-21 09:00:00+00', 'system', '0110000a-0000-4000-8000-000000000004', NULL, 'test.raw', 'test', NULL, NULL, '{"n": 2}', NULL, NULL, 'success', NULL, '6fda5032846b33fdfffb21638f2dd714c480c95df457e46b9a594c0042078a5f', 'fe4cdc0db6088c73e78cd901f74a4794f27180efe43d72fdc92dec7445110a71', 53, NULL),
	('5256ba25-b4ef-4152-a29f-a466ba082ecb', '0110000a-0000-4000-8000-000000000003', '2026-11-22 02:33:05.976+00', 'system', '00000000-0000-0000-0000-000000000000', NULL, 'audit.retention.prune', 'organization', '0110000a-0000-4000-8000-000000000003', NULL, '{"count": 4, "lastSeq": 4, "firstSeq": 1, "lastChecksum": "0bfdb7bf25633c3e8a17e384cbb8c8668929e8032d7647787367e4dc1b2de1d1", "retentionDays": 365}', NULL, NULL, 'success', NULL, '7dcac0a7f69891427c2552781eefe67241b3747fafbdcfa82241a964203beaee', '68e121966c2da44481346d30403eac0c977053b39d7aff9b06277ff4de5ef013', 13, NULL);

INSERT INTO public.audit_retention_policies VALUES
	('0110000a-0000-4000-8000-000000000002', 365, false, NULL, '2026-11-22 02:33:05.927+00', '2026-11-22 02:33:05.927+00'),
	('0110000a-0000-4000-8000-000000000003', 365, false, NULL, '2026-11-22 02:33:05.927+00', '2026-11-22 02:33:05.927+00');

INSERT INTO public.audit_saved_views VALUES
	('0110000a-0000-4000-8000-000000000006', '0110000a-0000-4000-8000-000000000001', '0110000a-0000-4000-8000-000000000002', '0110000a-0000-4000-8000-000000000004', 'Ana', 'Failures', 'result=failure', false, '2026-11-22 02:33:05.927+00', '2026-11-22 02:33:05.927+00');

INSERT INTO public.audit_search VALUES
	('0110000a-0000-4000-8000-000000000002', 1, 8, '2024-03-01 08:01:00.001+00', '2024-03-01 08:08:00.002+00', true, '{-1967379392,406063245,934891992,1661427958,-1515350919,-120966614,-1325615073,-2130660894,246799454,-49973399,2097866151,97560104,1926651711,859122982,1154891684,-1089155008,-454418744,-1627409547,394927617,1472136017,884799292}', 'device.update
ana@example.com
device
ws-1.alder.examplescript.run
ana@example.com
user
305275ofie
{"big": 12345678901234567890.10, "text": "b303274ro 342200250 360237230200"}user.login
ana@example.com
device
ws-1.alder.example
{}device.update
user
305275ofie
{"n": 1.0, "after": {"name": "b"}, "before": {"name": "a"}}script.run
ana@example.com
device
ws-1.alder.exampleuser.login
ana@example.com
user
305275ofie
{"big": 12345678901234567890.10, "text": "b303274ro 342200250 360237230200"}device.update
ana@example.com
device
ws-1.alder.example
{}script.run
user
305275ofie
{"n": 1.0, "after": {"name": "b"}, "before": {"name": "a"}}'),
	('0110000a-0000-4000-8000-000000000002', 9, 16, '2024-03-01 08:09:00+00', '2024-03-01 08:16:00.001+00', true, '{-1967379392,406063245,934891992,1661427958,-1515350919,-120966614,-1325615073,-2130660894,246799454,-49973399,2097866151,97560104,1926651711,859122982,1154891684,-1089155008,-454418744,-1627409547,394927617,1472136017,884799292}', 'user.login
ana@example.com
device
ws-1.alder.exampledevice.update
ana@example.com
user
305275ofie
{"big": 12345678901234567890.10, "text": "b303274ro 342200250 360237230200"}script.run
ana@example.com
device
ws-1.alder.example
{}user.login
user
305275ofie
{"n": 1.0, "after": {"name": "b"}, "before": {"name": "a"}}device.update
ana@example.com
device
ws-1.alder.examplescript.run
ana@example.com
user
305275ofie
{"big": 12345678901234567890.10, "text": "b303274ro 342200250 360237230200"}user.login
ana@example.com
device
ws-1.alder.example
{}device.update
user
305275ofie
{"n": 1.0, "after": {"name": "b"}, "before": {"name": "a"}}'),
	('0110000a-0000-4000-8000-000000000002', 17, 24, '2024-03-01 08:17:00.002+00', '2024-03-01 08:24:00+00', true, '{-1967379392,406063245,934891992,1661427958,-1515350919,-120966614,-1325615073,-2130660894,246799454,-49973399,2097866151,97560104,1926651711,859122982,1154891684,-1089155008,-454418744,-1627409547,394927617,1472136017,884799292}', 'script.run
ana@example.com
device
ws-1.alder.exampleuser.login
ana@example.com
user
305275ofie
{"big": 12345678901234567890.10, "text": "b303274ro 342200250 360237230200"}device.update
ana@example.com
device
ws-1.alder.example
{}script.run
user
305275ofie
{"n": 1.0, "after": {"name": "b"}, "before": {"name": "a"}}user.login
ana@example.com
device
ws-1.alder.exampledevice.update
ana@example.com
user
305275ofie
{"big": 12345678901234567890.10, "text": "b303274ro 342200250 360237230200"}script.run
ana@example.com
device
ws-1.alder.example
{}user.login
user
305275ofie
{"n": 1.0, "after": {"name": "b"}, "before": {"name": "a"}}'),
	('0110000a-0000-4000-8000-000000000002', 25, 32, '2024-03-01 08:25:00.001+00', '2036-11-20 08:32:00.002+00', true, '{-1967379392,406063245,934891992,1661427958,-1515350919,-120966614,-1325615073,-2130660894,246799454,-49973399,2097866151,97560104,1926651711,859122982,1154891684,-1089155008,-454418744,-1627409547,394927617,1472136017,884799292}', 'device.update
ana@example.com
device
ws-1.alder.examplescript.run
ana@example.com
user
305275ofie
{"big": 12345678901234567890.10, "text": "b303274ro 342200250 360237230200"}user.login
ana@example.com
device
ws-1.alder.example
{}device.update
user
305275ofie
{"n": 1.0, "after": {"name": "b"}, "before": {"name": "a"}}script.run
ana@example.com
device
ws-1.alder.exampleuser.login
ana@example.com
user
305275ofie
{"big": 12345678901234567890.10, "text": "b303274ro 342200250 360237230200"}device.update
ana@example.com
device
ws-1.alder.example
{}script.run
user
305275ofie
{"n": 1.0, "after": {"name": "b"}, "before": {"name": "a"}}'),
	('0110000a-0000-4000-8000-000000000002', 33, 40, '2036-11-20 08:33:00+00', '2036-11-20 08:40:00.001+00', true, '{-1967379392,406063245,934891992,1661427958,-1515350919,-120966614,-1325615073,-2130660894,246799454,-49973399,2097866151,97560104,1926651711,859122982,1154891684,-1089155008,-454418744,-1627409547,394927617,1472136017,884799292}', 'user.login
ana@example.com
device
ws-1.alder.exampledevice.update
ana@example.com
user
305275ofie
{"big": 12345678901234567890.10, "text": "b303274ro 342200250 360237230200"}script.run
ana@example.com
device
ws-1.alder.example
{}user.login
user
305275ofie
{"n": 1.0, "after": {"name": "b"}, "before": {"name": "a"}}device.update
ana@example.com
device
ws-1.alder.examplescript.run
ana@example.com
user
305275ofie
{"big": 12345678901234567890.10, "text": "b303274ro 342200250 360237230200"}user.login
ana@example.com
device
ws-1.alder.example
{}device.update
user
305275ofie
{"n": 1.0, "after": {"name": "b"}, "before": {"name": "a"}}'),
	('0110000a-0000-4000-8000-000000000002', 41, 48, '2036-11-20 08:41:00.002+00', '2036-11-20 08:48:00+00', true, '{-1967379392,406063245,934891992,1661427958,-1515350919,-120966614,-1325615073,-2130660894,246799454,-49973399,2097866151,97560104,1926651711,859122982,1154891684,-1089155008,-454418744,-1627409547,394927617,1472136017,884799292}', 'script.run
ana@example.com
device
ws-1.alder.exampleuser.login
ana@example.com
user
305275ofie
{"big": 12345678901234567890.10, "text": "b303274ro 342200250 360237230200"}device.update
ana@example.com
device
ws-1.alder.example
{}script.run
user
305275ofie
{"n": 1.0, "after": {"name": "b"}, "before": {"name": "a"}}user.login
ana@example.com
device
ws-1.alder.exampledevice.update
ana@example.com
user
305275ofie
{"big": 12345678901234567890.10, "text": "b303274ro 342200250 360237230200"}script.run
ana@example.com
device
ws-1.alder.example
{}user.login
user
305275ofie
{"n": 1.0, "after": {"name": "b"}, "before": {"name": "a"}}'),
	('0110000a-0000-4000-8000-000000000003', 5, 12, '2023-03-01 08:05:00.002+00', '2036-11-20 08:12:00+00', true, '{-1967379392,406063245,934891992,1661427958,-1515350919,-120966614,-1325615073,-2130660894,246799454,-49973399,2097866151,97560104,1926651711,859122982,1154891684,-1089155008,-454418744,-1627409547,394927617,1472136017,884799292}', 'script.run
ana@example.com
device
ws-1.alder.exampleuser.login
ana@example.com
user
305275ofie
{"big": 12345678901234567890.10, "text": "b303274ro 342200250 360237230200"}device.update
ana@example.com
device
ws-1.alder.example
{}script.run
user
305275ofie
{"n": 1.0, "after": {"name": "b"}, "before": {"name": "a"}}user.login
ana@example.com
device
ws-1.alder.exampledevice.update
ana@example.com
user
305275ofie
{"big": 12345678901234567890.10, "text": "b303274ro 342200250 360237230200"}script.run
ana@example.com
device
ws-1.alder.example
{}user.login
user
305275ofie
{"n": 1.0, "after": {"name": "b"}, "before": {"name": "a"}}');

INSERT INTO public.audit_search_state VALUES
	('0110000a-0000-4000-8000-000000000002', 48, 0, 0),
	('0110000a-0000-4000-8000-000000000003', 12, 4, 4);

INSERT INTO public.audit_search_terms VALUES
	('0110000a-0000-4000-8000-000000000002', 'action', 'device.update'),
	('0110000a-0000-4000-8000-000000000002', 'action', 'script.run'),
	('0110000a-0000-4000-8000-000000000002', 'action', 'user.login'),
	('0110000a-0000-4000-8000-000000000002', 'device', 'WS-1.alder.example'),
	('0110000a-0000-4000-8000-000000000002', 'email', 'ana@example.com'),
	('0110000a-0000-4000-8000-000000000003', 'action', 'device.update'),
	('0110000a-0000-4000-8000-000000000003', 'action', 'script.run'),
	('0110000a-0000-4000-8000-000000000003', 'action', 'user.login'),
	('0110000a-0000-4000-8000-000000000003', 'device', 'WS-1.alder.example'),
	('0110000a-0000-4000-8000-000000000003', 'email', 'ana@example.com');

INSERT INTO public.custom_field_definitions VALUES
	('0110000a-0000-4000-8000-000000000007', '0110000a-0000-4000-8000-000000000001', '0110000a-0000-4000-8000-000000000002', 'Room', 'room', 'text', NULL, false, NULL, NULL, false, '2026-11-22 02:33:05.927+00', '2026-11-22 02:33:05.927+00');

INSERT INTO public.custom_field_values VALUES
	('0110000a-0000-4000-8000-000000000005', '0110000a-0000-4000-8000-000000000002', '{"room": "3.14"}', '2026-11-22 02:33:05.927+00');

INSERT INTO public.device_event_logs VALUES
	('9ce63440-6358-4852-b4f0-d1fa422d263d', '0110000a-0000-4000-8000-000000000005', '0110000a-0000-4000-8000-000000000002', '2026-11-01 00:00:00+00', 'error', 'hardware', 'disk', '7', 'A block could not be read', NULL, '2026-11-22 02:33:05.927+00');

INSERT INTO public.devices VALUES
	('0110000a-0000-4000-8000-000000000005', '0110000a-0000-4000-8000-000000000002', 'WS-1.alder.example', 'windows', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-22 02:33:05.927+00', '2026-11-22 02:33:05.927+00', DEFAULT);

INSERT INTO public.organizations VALUES
	('0110000a-0000-4000-8000-000000000002', '0110000a-0000-4000-8000-000000000001', 'Alder Clinic', 'alder', true, '2026-11-22 02:33:05.927+00', '2026-11-22 02:33:05.927+00'),
	('0110000a-0000-4000-8000-000000000003', '0110000a-0000-4000-8000-000000000001', 'Birch Bakery', 'birch', false, '2026-11-22 02:33:05.927+00', '2026-11-22 02:33:05.927+00');

INSERT INTO public.partners VALUES
	('0110000a-0000-4000-8000-000000000001', 'Northwind MSP', 'northwind', '2026-11-22 02:33:05.927+00', '2026-11-22 02:33:05.927+00');

INSERT INTO public.users VALUES
	('0110000a-0000-4000-8000-000000000004', '0110000a-0000-4000-8000-000000000001', NULL, 'ana@example.com', 'Ana', 'no-login', 'admin', '', true, NULL, NULL, '2026-11-22 02:33:05.927+00', '2026-11-22 02:33:05.927+00');

SELECT pg_catalog.setval('drizzle.__drizzle_migrations_id_seq', 24, true);

ALTER TABLE ONLY drizzle.__drizzle_migrations
    ADD CONSTRAINT __drizzle_migrations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY pgboss.archive
    ADD CONSTRAINT archive_pkey PRIMARY KEY (name, id);

ALTER TABLE ONLY pgboss.job
    ADD CONSTRAINT job_pkey PRIMARY KEY (name, id);

ALTER TABLE ONLY pgboss.j3f168501ed9816b51a9f5765e0742e1eb034ab6bf72c9ae3f3a975e3
    ADD CONSTRAINT j3f168501ed9816b51a9f5765e0742e1eb034ab6bf72c9ae3f3a975e3_pkey PRIMARY KEY (name, id);

ALTER TABLE ONLY pgboss.j810862194b3319c141f4da742ece1efa20bc50510d682a1a855137fc
    ADD CONSTRAINT j810862194b3319c141f4da742ece1efa20bc50510d682a1a855137fc_pkey PRIMARY KEY (name, id);

ALTER TABLE ONLY pgboss.jb336de88984af0ca24bb2b3ab28dc9142924d1dcc8dbb6d2d40ce02c
    ADD CONSTRAINT jb336de88984af0ca24bb2b3ab28dc9142924d1dcc8dbb6d2d40ce02c_pkey PRIMARY KEY (name, id);

ALTER TABLE ONLY pgboss.queue
    ADD CONSTRAINT queue_pkey PRIMARY KEY (name);

ALTER TABLE ONLY pgboss.schedule
    ADD CONSTRAINT schedule_pkey PRIMARY KEY (name);

ALTER TABLE ONLY pgboss.subscription
    ADD CONSTRAINT subscription_pkey PRIMARY KEY (event, name);

ALTER TABLE ONLY pgboss.version
    ADD CONSTRAINT version_pkey PRIMARY KEY (version);

ALTER TABLE ONLY public.agent_logs
    ADD CONSTRAINT agent_logs_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.agent_streams
    ADD CONSTRAINT agent_streams_pkey PRIMARY KEY (agent_id);

ALTER TABLE ONLY public.agents
    ADD CONSTRAINT agents_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.agents
    ADD CONSTRAINT agents_token_hash_key UNIQUE (token_hash);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_hash_key UNIQUE (key_hash);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.audit_alarms
    ADD CONSTRAINT audit_alarms_pkey PRIMARY KEY (org_id);

ALTER TABLE ONLY public.audit_chain_heads
    ADD CONSTRAINT audit_chain_heads_pkey PRIMARY KEY (org_id, seq);

ALTER TABLE ONLY public.audit_logs
    ADD CONSTRAINT audit_logs_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.audit_retention_policies
    ADD CONSTRAINT audit_retention_policies_pkey PRIMARY KEY (org_id);

ALTER TABLE ONLY public.audit_saved_views
    ADD CONSTRAINT audit_saved_views_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.audit_search
    ADD CONSTRAINT audit_search_pkey PRIMARY KEY (org_id, first_seq);

ALTER TABLE ONLY public.audit_search_state
    ADD CONSTRAINT audit_search_state_pkey PRIMARY KEY (org_id);

ALTER TABLE ONLY public.audit_search_terms
    ADD CONSTRAINT audit_search_terms_pkey PRIMARY KEY (org_id, kind, value);

ALTER TABLE ONLY public.audit_verifications
    ADD CONSTRAINT audit_verifications_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.custom_field_definitions
    ADD CONSTRAINT custom_field_definitions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.custom_field_import_changes
    ADD CONSTRAINT custom_field_import_changes_pkey PRIMARY KEY (import_id, row_no);

ALTER TABLE ONLY public.custom_field_import_mappings
    ADD CONSTRAINT custom_field_import_mappings_pkey PRIMARY KEY (partner_id, source, fingerprint);

ALTER TABLE ONLY public.custom_field_import_results
    ADD CONSTRAINT custom_field_import_results_pkey PRIMARY KEY (import_id, row_no);

ALTER TABLE ONLY public.custom_field_import_rows
    ADD CONSTRAINT custom_field_import_rows_pkey PRIMARY KEY (import_id, row_no);

ALTER TABLE ONLY public.custom_field_imports
    ADD CONSTRAINT custom_field_imports_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.custom_field_values
    ADD CONSTRAINT custom_field_values_pkey PRIMARY KEY (device_id);

ALTER TABLE ONLY public.device_event_logs
    ADD CONSTRAINT device_event_logs_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.device_source_ids
    ADD CONSTRAINT device_source_ids_pkey PRIMARY KEY (partner_id, source, source_id);

ALTER TABLE ONLY public.devices
    ADD CONSTRAINT devices_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.enrollment_keys
    ADD CONSTRAINT enrollment_keys_hash_key UNIQUE (key_hash);

ALTER TABLE ONLY public.enrollment_keys
    ADD CONSTRAINT enrollment_keys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.live_commands
    ADD CONSTRAINT live_commands_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.organizations
    ADD CONSTRAINT organizations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.partners
    ADD CONSTRAINT partners_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.partners
    ADD CONSTRAINT partners_slug_key UNIQUE (slug);

ALTER TABLE ONLY public.refresh_tokens
    ADD CONSTRAINT refresh_tokens_hash_key UNIQUE (token_hash);

ALTER TABLE ONLY public.refresh_tokens
    ADD CONSTRAINT refresh_tokens_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.user_organizations
    ADD CONSTRAINT user_organizations_pkey PRIMARY KEY (user_id, org_id);

ALTER TABLE ONLY public.user_preferences
    ADD CONSTRAINT user_preferences_pkey PRIMARY KEY (user_id, key);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);

CREATE INDEX archive_i1 ON pgboss.archive USING btree (archived_on);

CREATE UNIQUE INDEX j3f168501ed9816b51a9f5765e0742e1eb034ab6bf72c9ae3f3a975e3_i1 ON pgboss.j3f168501ed9816b51a9f5765e0742e1eb034ab6bf72c9ae3f3a975e3 USING btree (name, COALESCE(singleton_key, ''::text)) WHERE ((state = 'created'::pgboss.job_state) AND (policy = 'short'::text));

CREATE UNIQUE INDEX j3f168501ed9816b51a9f5765e0742e1eb034ab6bf72c9ae3f3a975e3_i2 ON pgboss.j3f168501ed9816b51a9f5765e0742e1eb034ab6bf72c9ae3f3a975e3 USING btree (name, COALESCE(singleton_key, ''::text)) WHERE ((state = 'active'::pgboss.job_state) AND (policy = 'singleton'::text));

CREATE UNIQUE INDEX j3f168501ed9816b51a9f5765e0742e1eb034ab6bf72c9ae3f3a975e3_i3 ON pgboss.j3f168501ed9816b51a9f5765e0742e1eb034ab6bf72c9ae3f3a975e3 USING btree (name, state, COALESCE(singleton_key, ''::text)) WHERE ((state <= 'active'::pgboss.job_state) AND (policy = 'stately'::text));

CREATE UNIQUE INDEX j3f168501ed9816b51a9f5765e0742e1eb034ab6bf72c9ae3f3a975e3_i4 ON pgboss.j3f168501ed9816b51a9f5765e0742e1eb034ab6bf72c9ae3f3a975e3 USING btree (name, singleton_on, COALESCE(singleton_key, ''::text)) WHERE ((state <> 'cancelled'::pgboss.job_state) AND (singleton_on IS NOT NULL));

CREATE INDEX j3f168501ed9816b51a9f5765e0742e1eb034ab6bf72c9ae3f3a975e3_i5 ON pgboss.j3f168501ed9816b51a9f5765e0742e1eb034ab6bf72c9ae3f3a975e3 USING btree (name, start_after) INCLUDE (priority, created_on, id) WHERE (state < 'active'::pgboss.job_state);

CREATE UNIQUE INDEX j810862194b3319c141f4da742ece1efa20bc50510d682a1a855137fc_i1 ON pgboss.j810862194b3319c141f4da742ece1efa20bc50510d682a1a855137fc USING btree (name, COALESCE(singleton_key, ''::text)) WHERE ((state = 'created'::pgboss.job_state) AND (policy = 'short'::text));

CREATE UNIQUE INDEX j810862194b3319c141f4da742ece1efa20bc50510d682a1a855137fc_i2 ON pgboss.j810862194b3319c141f4da742ece1efa20bc50510d682a1a855137fc USING btree (name, COALESCE(singleton_key, ''::text)) WHERE ((state = 'active'::pgboss.job_state) AND (policy = 'singleton'::text));

CREATE UNIQUE INDEX j810862194b3319c141f4da742ece1efa20bc50510d682a1a855137fc_i3 ON pgboss.j810862194b3319c141f4da742ece1efa20bc50510d682a1a855137fc USING btree (name, state, COALESCE(singleton_key, ''::text)) WHERE ((state <= 'active'::pgboss.job_state) AND (policy = 'stately'::text));

CREATE UNIQUE INDEX j810862194b3319c141f4da742ece1efa20bc50510d682a1a855137fc_i4 ON pgboss.j810862194b3319c141f4da742ece1efa20bc50510d682a1a855137fc USING btree (name, singleton_on, COALESCE(singleton_key, ''::text)) WHERE ((state <> 'cancelled'::pgboss.job_state) AND (singleton_on IS NOT NULL));

CREATE INDEX j810862194b3319c141f4da742ece1efa20bc50510d682a1a855137fc_i5 ON pgboss.j810862194b3319c141f4da742ece1efa20bc50510d682a1a855137fc USING btree (name, start_after) INCLUDE (priority, created_on, id) WHERE (state < 'active'::pgboss.job_state);

CREATE UNIQUE INDEX jb336de88984af0ca24bb2b3ab28dc9142924d1dcc8dbb6d2d40ce02c_i1 ON pgboss.jb336de88984af0ca24bb2b3ab28dc9142924d1dcc8dbb6d2d40ce02c USING btree (name, COALESCE(singleton_key, ''::text)) WHERE ((state = 'created'::pgboss.job_state) AND (policy = 'short'::text));

CREATE UNIQUE INDEX jb336de88984af0ca24bb2b3ab28dc9142924d1dcc8dbb6d2d40ce02c_i2 ON pgboss.jb336de88984af0ca24bb2b3ab28dc9142924d1dcc8dbb6d2d40ce02c USING btree (name, COALESCE(singleton_key, ''::text)) WHERE ((state = 'active'::pgboss.job_state) AND (policy = 'singleton'::text));

CREATE UNIQUE INDEX jb336de88984af0ca24bb2b3ab28dc9142924d1dcc8dbb6d2d40ce02c_i3 ON pgboss.jb336de88984af0ca24bb2b3ab28dc9142924d1dcc8dbb6d2d40ce02c USING btree (name, state, COALESCE(singleton_key, ''::text)) WHERE ((state <= 'active'::pgboss.job_state) AND (policy = 'stately'::text));

CREATE UNIQUE INDEX jb336de88984af0ca24bb2b3ab28dc9142924d1dcc8dbb6d2d40ce02c_i4 ON pgboss.jb336de88984af0ca24bb2b3ab28dc9142924d1dcc8dbb6d2d40ce02c USING btree (name, singleton_on, COALESCE(singleton_key, ''::text)) WHERE ((state <> 'cancelled'::pgboss.job_state) AND (singleton_on IS NOT NULL));

CREATE INDEX jb336de88984af0ca24bb2b3ab28dc9142924d1dcc8dbb6d2d40ce02c_i5 ON pgboss.jb336de88984af0ca24bb2b3ab28dc9142924d1dcc8dbb6d2d40ce02c USING btree (name, start_after) INCLUDE (priority, created_on, id) WHERE (state < 'active'::pgboss.job_state);

CREATE INDEX agent_logs_device_idx ON public.agent_logs USING btree (device_id, "timestamp", id);

CREATE INDEX agent_logs_level_component_idx ON public.agent_logs USING btree (level, component);

CREATE INDEX agent_logs_org_ts_idx ON public.agent_logs USING btree (org_id, "timestamp");

CREATE INDEX agent_logs_timestamp_idx ON public.agent_logs USING btree ("timestamp");

CREATE INDEX agent_streams_device_idx ON public.agent_streams USING btree (device_id);

CREATE INDEX agent_streams_org_idx ON public.agent_streams USING btree (org_id);

CREATE INDEX agent_streams_process_idx ON public.agent_streams USING btree (process_id) WHERE (closed_at IS NULL);

CREATE UNIQUE INDEX agents_device_key ON public.agents USING btree (device_id);

CREATE INDEX agents_org_idx ON public.agents USING btree (org_id);

CREATE INDEX api_keys_org_idx ON public.api_keys USING btree (org_id);

CREATE INDEX api_keys_partner_idx ON public.api_keys USING btree (partner_id);

CREATE UNIQUE INDEX audit_logs_org_seq_key ON public.audit_logs USING btree (org_id, chain_seq) WHERE (chain_seq IS NOT NULL);

CREATE INDEX audit_logs_org_ts_idx ON public.audit_logs USING btree (org_id, "timestamp", chain_seq);

CREATE INDEX audit_logs_unsealed_idx ON public.audit_logs USING btree (seal_tx) WHERE (chain_seq IS NULL);

CREATE INDEX audit_saved_views_creator_idx ON public.audit_saved_views USING btree (created_by);

CREATE UNIQUE INDEX audit_saved_views_mine_key ON public.audit_saved_views USING btree (created_by, lower(name)) WHERE (NOT shared);

CREATE UNIQUE INDEX audit_saved_views_org_key ON public.audit_saved_views USING btree (org_id, lower(name)) WHERE (shared AND (org_id IS NOT NULL));

CREATE UNIQUE INDEX audit_saved_views_partner_key ON public.audit_saved_views USING btree (partner_id, lower(name)) WHERE (shared AND (org_id IS NULL));

CREATE INDEX audit_search_newest_idx ON public.audit_search USING btree (org_id, max_at, first_seq, min_at);

CREATE INDEX audit_search_terms_idx ON public.audit_search USING gin (org_id, tags, text public.gin_trgm_ops);

CREATE INDEX audit_tallies_org_idx ON public.audit_tallies USING btree (org_id, first_seq);

CREATE INDEX audit_verifications_org_ran_idx ON public.audit_verifications USING btree (org_id, ran_at);

CREATE UNIQUE INDEX custom_field_definitions_org_key ON public.custom_field_definitions USING btree (org_id, field_key) WHERE (org_id IS NOT NULL);

CREATE UNIQUE INDEX custom_field_definitions_partner_key ON public.custom_field_definitions USING btree (partner_id, field_key) WHERE (org_id IS NULL);

CREATE INDEX custom_field_imports_job_idx ON public.custom_field_imports USING btree (lease_until) WHERE (job IS NOT NULL);

CREATE INDEX custom_field_imports_partner_idx ON public.custom_field_imports USING btree (partner_id, created_at);

CREATE INDEX custom_field_values_org_idx ON public.custom_field_values USING btree (org_id);

CREATE INDEX device_event_logs_cat_level_idx ON public.device_event_logs USING btree (category, level, device_id, "timestamp", id);

CREATE UNIQUE INDEX device_event_logs_dedup_idx ON public.device_event_logs USING btree (device_id, source, event_id);

CREATE INDEX device_event_logs_device_idx ON public.device_event_logs USING btree (device_id, "timestamp", id);

CREATE INDEX device_event_logs_org_ts_idx ON public.device_event_logs USING btree (org_id, "timestamp");

CREATE INDEX device_source_ids_device_idx ON public.device_source_ids USING btree (device_id);

CREATE INDEX devices_hostname_lower_idx ON public.devices USING btree (lower(hostname));

CREATE INDEX devices_org_hostname_idx ON public.devices USING btree (org_id, hostname);

CREATE INDEX devices_short_name_idx ON public.devices USING btree (short_name);

CREATE INDEX enrollment_keys_org_idx ON public.enrollment_keys USING btree (org_id);

CREATE INDEX live_commands_agent_idx ON public.live_commands USING btree (agent_id);

CREATE INDEX live_commands_device_idx ON public.live_commands USING btree (device_id);

CREATE INDEX live_commands_done_idx ON public.live_commands USING btree (asker_id) WHERE (state = ANY (ARRAY['answered'::text, 'broken'::text]));

CREATE INDEX live_commands_org_idx ON public.live_commands USING btree (org_id);

CREATE INDEX live_commands_stream_idx ON public.live_commands USING btree (stream_id);

CREATE INDEX live_commands_waiting_idx ON public.live_commands USING btree (process_id) WHERE (state = 'waiting'::text);

CREATE UNIQUE INDEX organizations_partner_home_key ON public.organizations USING btree (partner_id) WHERE is_home;

CREATE INDEX organizations_partner_idx ON public.organizations USING btree (partner_id);

CREATE UNIQUE INDEX organizations_partner_slug_key ON public.organizations USING btree (partner_id, slug);

CREATE INDEX refresh_tokens_family_idx ON public.refresh_tokens USING btree (family_id);

CREATE INDEX refresh_tokens_user_idx ON public.refresh_tokens USING btree (user_id);

CREATE UNIQUE INDEX users_email_key ON public.users USING btree (lower(email));

CREATE INDEX users_org_idx ON public.users USING btree (org_id);

CREATE INDEX users_partner_idx ON public.users USING btree (partner_id);

ALTER INDEX pgboss.job_pkey ATTACH PARTITION pgboss.j3f168501ed9816b51a9f5765e0742e1eb034ab6bf72c9ae3f3a975e3_pkey;

ALTER INDEX pgboss.job_pkey ATTACH PARTITION pgboss.j810862194b3319c141f4da742ece1efa20bc50510d682a1a855137fc_pkey;

ALTER INDEX pgboss.job_pkey ATTACH PARTITION pgboss.jb336de88984af0ca24bb2b3ab28dc9142924d1dcc8dbb6d2d40ce02c_pkey;

CREATE TRIGGER audit_chain_heads_no_delete BEFORE DELETE ON public.audit_chain_heads FOR EACH STATEMENT EXECUTE FUNCTION public.audit_refuse();

CREATE TRIGGER audit_chain_heads_no_truncate BEFORE TRUNCATE ON public.audit_chain_heads FOR EACH STATEMENT EXECUTE FUNCTION public.audit_refuse();

CREATE TRIGGER audit_logs_guard_delete BEFORE DELETE ON public.audit_logs FOR EACH STATEMENT EXECUTE FUNCTION public.audit_guard_delete();

CREATE TRIGGER audit_logs_no_truncate BEFORE TRUNCATE ON public.audit_logs FOR EACH STATEMENT EXECUTE FUNCTION public.audit_refuse();

CREATE TRIGGER audit_logs_no_update BEFORE UPDATE OF id, org_id, "timestamp", actor_type, actor_id, actor_email, action, resource_type, resource_id, resource_name, details, ip_address, user_agent, result, error_message ON public.audit_logs FOR EACH STATEMENT EXECUTE FUNCTION public.audit_refuse();

CREATE TRIGGER audit_logs_prune AFTER DELETE ON public.audit_logs REFERENCING OLD TABLE AS pruned FOR EACH STATEMENT EXECUTE FUNCTION public.audit_prune();

CREATE CONSTRAINT TRIGGER audit_logs_seal AFTER INSERT ON public.audit_logs DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.chain_seq IS NULL)) EXECUTE FUNCTION public.audit_seal();

CREATE TRIGGER audit_logs_seal_once BEFORE UPDATE ON public.audit_logs FOR EACH ROW WHEN (((old.chain_seq IS NOT NULL) OR (new.chain_seq IS NULL) OR (new.checksum IS NULL))) EXECUTE FUNCTION public.audit_refuse('A row is sealed once.');

CREATE TRIGGER organizations_retention_policy AFTER INSERT ON public.organizations FOR EACH ROW EXECUTE FUNCTION public.audit_default_policy();

ALTER TABLE ONLY pgboss.j3f168501ed9816b51a9f5765e0742e1eb034ab6bf72c9ae3f3a975e3
    ADD CONSTRAINT dlq_fkey FOREIGN KEY (dead_letter) REFERENCES pgboss.queue(name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY pgboss.j810862194b3319c141f4da742ece1efa20bc50510d682a1a855137fc
    ADD CONSTRAINT dlq_fkey FOREIGN KEY (dead_letter) REFERENCES pgboss.queue(name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY pgboss.jb336de88984af0ca24bb2b3ab28dc9142924d1dcc8dbb6d2d40ce02c
    ADD CONSTRAINT dlq_fkey FOREIGN KEY (dead_letter) REFERENCES pgboss.queue(name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY pgboss.j3f168501ed9816b51a9f5765e0742e1eb034ab6bf72c9ae3f3a975e3
    ADD CONSTRAINT q_fkey FOREIGN KEY (name) REFERENCES pgboss.queue(name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY pgboss.j810862194b3319c141f4da742ece1efa20bc50510d682a1a855137fc
    ADD CONSTRAINT q_fkey FOREIGN KEY (name) REFERENCES pgboss.queue(name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY pgboss.jb336de88984af0ca24bb2b3ab28dc9142924d1dcc8dbb6d2d40ce02c
    ADD CONSTRAINT q_fkey FOREIGN KEY (name) REFERENCES pgboss.queue(name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY pgboss.queue
    ADD CONSTRAINT queue_dead_letter_fkey FOREIGN KEY (dead_letter) REFERENCES pgboss.queue(name);

ALTER TABLE ONLY pgboss.schedule
    ADD CONSTRAINT schedule_name_fkey FOREIGN KEY (name) REFERENCES pgboss.queue(name) ON DELETE CASCADE;

ALTER TABLE ONLY pgboss.subscription
    ADD CONSTRAINT subscription_name_fkey FOREIGN KEY (name) REFERENCES pgboss.queue(name) ON DELETE CASCADE;

ALTER TABLE ONLY public.agent_logs
    ADD CONSTRAINT agent_logs_device_id_devices_id_fk FOREIGN KEY (device_id) REFERENCES public.devices(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.agent_logs
    ADD CONSTRAINT agent_logs_org_id_organizations_id_fk FOREIGN KEY (org_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.agent_streams
    ADD CONSTRAINT agent_streams_agent_id_agents_id_fk FOREIGN KEY (agent_id) REFERENCES public.agents(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.agent_streams
    ADD CONSTRAINT agent_streams_device_id_devices_id_fk FOREIGN KEY (device_id) REFERENCES public.devices(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.agent_streams
    ADD CONSTRAINT agent_streams_org_id_organizations_id_fk FOREIGN KEY (org_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.agents
    ADD CONSTRAINT agents_device_id_devices_id_fk FOREIGN KEY (device_id) REFERENCES public.devices(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.agents
    ADD CONSTRAINT agents_org_id_organizations_id_fk FOREIGN KEY (org_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_org_id_organizations_id_fk FOREIGN KEY (org_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_partner_id_partners_id_fk FOREIGN KEY (partner_id) REFERENCES public.partners(id);

ALTER TABLE ONLY public.audit_retention_policies
    ADD CONSTRAINT audit_retention_policies_org_id_organizations_id_fk FOREIGN KEY (org_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.audit_saved_views
    ADD CONSTRAINT audit_saved_views_created_by_users_id_fk FOREIGN KEY (created_by) REFERENCES public.users(id);

ALTER TABLE ONLY public.audit_saved_views
    ADD CONSTRAINT audit_saved_views_org_id_organizations_id_fk FOREIGN KEY (org_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.audit_saved_views
    ADD CONSTRAINT audit_saved_views_partner_id_partners_id_fk FOREIGN KEY (partner_id) REFERENCES public.partners(id);

ALTER TABLE ONLY public.custom_field_definitions
    ADD CONSTRAINT custom_field_definitions_org_id_organizations_id_fk FOREIGN KEY (org_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.custom_field_definitions
    ADD CONSTRAINT custom_field_definitions_partner_id_partners_id_fk FOREIGN KEY (partner_id) REFERENCES public.partners(id);

ALTER TABLE ONLY public.custom_field_import_mappings
    ADD CONSTRAINT custom_field_import_mappings_partner_id_partners_id_fk FOREIGN KEY (partner_id) REFERENCES public.partners(id);

ALTER TABLE ONLY public.custom_field_imports
    ADD CONSTRAINT custom_field_imports_partner_id_partners_id_fk FOREIGN KEY (partner_id) REFERENCES public.partners(id);

ALTER TABLE ONLY public.custom_field_values
    ADD CONSTRAINT custom_field_values_device_id_devices_id_fk FOREIGN KEY (device_id) REFERENCES public.devices(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.device_event_logs
    ADD CONSTRAINT device_event_logs_device_id_devices_id_fk FOREIGN KEY (device_id) REFERENCES public.devices(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.device_event_logs
    ADD CONSTRAINT device_event_logs_org_id_organizations_id_fk FOREIGN KEY (org_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.device_source_ids
    ADD CONSTRAINT device_source_ids_device_id_devices_id_fk FOREIGN KEY (device_id) REFERENCES public.devices(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.device_source_ids
    ADD CONSTRAINT device_source_ids_org_id_organizations_id_fk FOREIGN KEY (org_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.device_source_ids
    ADD CONSTRAINT device_source_ids_partner_id_partners_id_fk FOREIGN KEY (partner_id) REFERENCES public.partners(id);

ALTER TABLE ONLY public.devices
    ADD CONSTRAINT devices_org_id_organizations_id_fk FOREIGN KEY (org_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.enrollment_keys
    ADD CONSTRAINT enrollment_keys_org_id_organizations_id_fk FOREIGN KEY (org_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.live_commands
    ADD CONSTRAINT live_commands_device_id_devices_id_fk FOREIGN KEY (device_id) REFERENCES public.devices(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.live_commands
    ADD CONSTRAINT live_commands_org_id_organizations_id_fk FOREIGN KEY (org_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.organizations
    ADD CONSTRAINT organizations_partner_id_partners_id_fk FOREIGN KEY (partner_id) REFERENCES public.partners(id);

ALTER TABLE ONLY public.refresh_tokens
    ADD CONSTRAINT refresh_tokens_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.user_organizations
    ADD CONSTRAINT user_organizations_org_id_organizations_id_fk FOREIGN KEY (org_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.user_organizations
    ADD CONSTRAINT user_organizations_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.user_preferences
    ADD CONSTRAINT user_preferences_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_org_id_organizations_id_fk FOREIGN KEY (org_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_partner_id_partners_id_fk FOREIGN KEY (partner_id) REFERENCES public.partners(id);

ALTER TABLE public.agent_logs ENABLE ROW LEVEL SECURITY;

CREATE POLICY agent_logs_tenant ON public.agent_logs TO trailmark_app USING (((( SELECT current_setting('trailmark.scope'::text, true) AS current_setting) = 'system'::text) OR (org_id = ANY (( SELECT (NULLIF(current_setting('trailmark.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[]))));

ALTER TABLE public.agent_streams ENABLE ROW LEVEL SECURITY;

CREATE POLICY agent_streams_tenant ON public.agent_streams TO trailmark_app USING (((( SELECT current_setting('trailmark.scope'::text, true) AS current_setting) = 'system'::text) OR (org_id = ANY (( SELECT (NULLIF(current_setting('trailmark.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[]))));

ALTER TABLE public.agents ENABLE ROW LEVEL SECURITY;

CREATE POLICY agents_tenant ON public.agents TO trailmark_app USING (((( SELECT current_setting('trailmark.scope'::text, true) AS current_setting) = 'system'::text) OR (org_id = ANY (( SELECT (NULLIF(current_setting('trailmark.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[]))));

ALTER TABLE public.api_keys ENABLE ROW LEVEL SECURITY;

CREATE POLICY api_keys_tenant ON public.api_keys TO trailmark_app USING (((( SELECT current_setting('trailmark.scope'::text, true) AS current_setting) = 'system'::text) OR (org_id = ANY (( SELECT (NULLIF(current_setting('trailmark.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[])) OR ((org_id IS NULL) AND (partner_id = ( SELECT (NULLIF(current_setting('trailmark.partner_id'::text, true), ''::text))::uuid AS "nullif")))));

ALTER TABLE public.audit_alarms ENABLE ROW LEVEL SECURITY;

CREATE POLICY audit_alarms_tenant ON public.audit_alarms TO trailmark_app USING (((( SELECT current_setting('trailmark.scope'::text, true) AS current_setting) = 'system'::text) OR (org_id = ANY (( SELECT (NULLIF(current_setting('trailmark.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[]))));

ALTER TABLE public.audit_chain_heads ENABLE ROW LEVEL SECURITY;

CREATE POLICY audit_chain_heads_admin ON public.audit_chain_heads FOR SELECT TO trailmark_audit_admin USING (true);

CREATE POLICY audit_chain_heads_sealer ON public.audit_chain_heads TO trailmark_sealer USING (true);

ALTER TABLE public.audit_logs ENABLE ROW LEVEL SECURITY;

CREATE POLICY audit_logs_admin ON public.audit_logs TO trailmark_audit_admin USING (true);

CREATE POLICY audit_logs_sealer ON public.audit_logs TO trailmark_sealer USING (true);

CREATE POLICY audit_logs_tenant ON public.audit_logs TO trailmark_app USING (((( SELECT current_setting('trailmark.scope'::text, true) AS current_setting) = 'system'::text) OR (org_id = ANY (( SELECT (NULLIF(current_setting('trailmark.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[]))));

ALTER TABLE public.audit_retention_policies ENABLE ROW LEVEL SECURITY;

CREATE POLICY audit_retention_policies_admin ON public.audit_retention_policies TO trailmark_audit_admin USING (true);

CREATE POLICY audit_retention_policies_sealer ON public.audit_retention_policies TO trailmark_sealer USING (true);

CREATE POLICY audit_retention_policies_tenant ON public.audit_retention_policies TO trailmark_app USING (((( SELECT current_setting('trailmark.scope'::text, true) AS current_setting) = 'system'::text) OR (org_id = ANY (( SELECT (NULLIF(current_setting('trailmark.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[]))));

ALTER TABLE public.audit_saved_views ENABLE ROW LEVEL SECURITY;

CREATE POLICY audit_saved_views_tenant ON public.audit_saved_views TO trailmark_app USING (((( SELECT current_setting('trailmark.scope'::text, true) AS current_setting) = 'system'::text) OR (org_id = ANY (( SELECT (NULLIF(current_setting('trailmark.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[])) OR ((org_id IS NULL) AND (partner_id = ( SELECT (NULLIF(current_setting('trailmark.partner_id'::text, true), ''::text))::uuid AS "nullif")))));

ALTER TABLE public.audit_search ENABLE ROW LEVEL SECURITY;

CREATE POLICY audit_search_sealer ON public.audit_search TO trailmark_sealer USING (true);

ALTER TABLE public.audit_search_state ENABLE ROW LEVEL SECURITY;

CREATE POLICY audit_search_state_sealer ON public.audit_search_state TO trailmark_sealer USING (true);

CREATE POLICY audit_search_state_tenant ON public.audit_search_state FOR SELECT TO trailmark_app USING (((( SELECT current_setting('trailmark.scope'::text, true) AS current_setting) = 'system'::text) OR (org_id = ANY (( SELECT (NULLIF(current_setting('trailmark.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[]))));

ALTER TABLE public.audit_search_terms ENABLE ROW LEVEL SECURITY;

CREATE POLICY audit_search_terms_sealer ON public.audit_search_terms TO trailmark_sealer USING (true);

CREATE POLICY audit_search_terms_tenant ON public.audit_search_terms FOR SELECT TO trailmark_app USING (((( SELECT current_setting('trailmark.scope'::text, true) AS current_setting) = 'system'::text) OR (org_id = ANY (( SELECT (NULLIF(current_setting('trailmark.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[]))));

ALTER TABLE public.audit_tallies ENABLE ROW LEVEL SECURITY;

CREATE POLICY audit_tallies_sealer ON public.audit_tallies TO trailmark_sealer USING (true);

CREATE POLICY audit_tallies_tenant ON public.audit_tallies FOR SELECT TO trailmark_app USING (((( SELECT current_setting('trailmark.scope'::text, true) AS current_setting) = 'system'::text) OR (org_id = ANY (( SELECT (NULLIF(current_setting('trailmark.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[]))));

ALTER TABLE public.audit_verifications ENABLE ROW LEVEL SECURITY;

CREATE POLICY audit_verifications_tenant ON public.audit_verifications TO trailmark_app USING (((( SELECT current_setting('trailmark.scope'::text, true) AS current_setting) = 'system'::text) OR (org_id = ANY (( SELECT (NULLIF(current_setting('trailmark.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[]))));

ALTER TABLE public.custom_field_definitions ENABLE ROW LEVEL SECURITY;

CREATE POLICY custom_field_definitions_tenant ON public.custom_field_definitions TO trailmark_app USING (((( SELECT current_setting('trailmark.scope'::text, true) AS current_setting) = 'system'::text) OR (org_id = ANY (( SELECT (NULLIF(current_setting('trailmark.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[])) OR ((org_id IS NULL) AND (partner_id = ( SELECT (NULLIF(current_setting('trailmark.partner_id'::text, true), ''::text))::uuid AS "nullif")))));

ALTER TABLE public.custom_field_import_changes ENABLE ROW LEVEL SECURITY;

CREATE POLICY custom_field_import_changes_tenant ON public.custom_field_import_changes TO trailmark_app USING (((( SELECT current_setting('trailmark.scope'::text, true) AS current_setting) = 'system'::text) OR (org_id = ANY (( SELECT (NULLIF(current_setting('trailmark.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[]))));

ALTER TABLE public.custom_field_import_mappings ENABLE ROW LEVEL SECURITY;

CREATE POLICY custom_field_import_mappings_tenant ON public.custom_field_import_mappings TO trailmark_app USING (((( SELECT current_setting('trailmark.scope'::text, true) AS current_setting) = 'system'::text) OR (partner_id = ( SELECT (NULLIF(current_setting('trailmark.partner_id'::text, true), ''::text))::uuid AS "nullif"))));

ALTER TABLE public.custom_field_import_results ENABLE ROW LEVEL SECURITY;

CREATE POLICY custom_field_import_results_tenant ON public.custom_field_import_results TO trailmark_app USING (((( SELECT current_setting('trailmark.scope'::text, true) AS current_setting) = 'system'::text) OR (partner_id = ( SELECT (NULLIF(current_setting('trailmark.partner_id'::text, true), ''::text))::uuid AS "nullif"))));

ALTER TABLE public.custom_field_import_rows ENABLE ROW LEVEL SECURITY;

CREATE POLICY custom_field_import_rows_tenant ON public.custom_field_import_rows TO trailmark_app USING (((( SELECT current_setting('trailmark.scope'::text, true) AS current_setting) = 'system'::text) OR (partner_id = ( SELECT (NULLIF(current_setting('trailmark.partner_id'::text, true), ''::text))::uuid AS "nullif"))));

ALTER TABLE public.custom_field_imports ENABLE ROW LEVEL SECURITY;

CREATE POLICY custom_field_imports_tenant ON public.custom_field_imports TO trailmark_app USING (((( SELECT current_setting('trailmark.scope'::text, true) AS current_setting) = 'system'::text) OR ((partner_id = ( SELECT (NULLIF(current_setting('trailmark.partner_id'::text, true), ''::text))::uuid AS "nullif")) AND (org_ids <@ ( SELECT (NULLIF(current_setting('trailmark.org_ids'::text, true), ''::text))::uuid[] AS "nullif")))));

ALTER TABLE public.custom_field_values ENABLE ROW LEVEL SECURITY;

CREATE POLICY custom_field_values_tenant ON public.custom_field_values TO trailmark_app USING (((( SELECT current_setting('trailmark.scope'::text, true) AS current_setting) = 'system'::text) OR (org_id = ANY (( SELECT (NULLIF(current_setting('trailmark.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[]))));

ALTER TABLE public.device_event_logs ENABLE ROW LEVEL SECURITY;

CREATE POLICY device_event_logs_tenant ON public.device_event_logs TO trailmark_app USING (((( SELECT current_setting('trailmark.scope'::text, true) AS current_setting) = 'system'::text) OR (org_id = ANY (( SELECT (NULLIF(current_setting('trailmark.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[]))));

ALTER TABLE public.device_source_ids ENABLE ROW LEVEL SECURITY;

CREATE POLICY device_source_ids_tenant ON public.device_source_ids TO trailmark_app USING (((( SELECT current_setting('trailmark.scope'::text, true) AS current_setting) = 'system'::text) OR (org_id = ANY (( SELECT (NULLIF(current_setting('trailmark.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[]))));

ALTER TABLE public.devices ENABLE ROW LEVEL SECURITY;

CREATE POLICY devices_tenant ON public.devices TO trailmark_app USING (((( SELECT current_setting('trailmark.scope'::text, true) AS current_setting) = 'system'::text) OR (org_id = ANY (( SELECT (NULLIF(current_setting('trailmark.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[]))));

ALTER TABLE public.enrollment_keys ENABLE ROW LEVEL SECURITY;

CREATE POLICY enrollment_keys_tenant ON public.enrollment_keys TO trailmark_app USING (((( SELECT current_setting('trailmark.scope'::text, true) AS current_setting) = 'system'::text) OR (org_id = ANY (( SELECT (NULLIF(current_setting('trailmark.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[]))));

ALTER TABLE public.live_commands ENABLE ROW LEVEL SECURITY;

CREATE POLICY live_commands_tenant ON public.live_commands TO trailmark_app USING (((( SELECT current_setting('trailmark.scope'::text, true) AS current_setting) = 'system'::text) OR (org_id = ANY (( SELECT (NULLIF(current_setting('trailmark.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[]))));

ALTER TABLE public.organizations ENABLE ROW LEVEL SECURITY;

CREATE POLICY organizations_tenant ON public.organizations TO trailmark_app USING (((( SELECT current_setting('trailmark.scope'::text, true) AS current_setting) = 'system'::text) OR (id = ANY (( SELECT (NULLIF(current_setting('trailmark.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[])))) WITH CHECK (((( SELECT current_setting('trailmark.scope'::text, true) AS current_setting) = 'system'::text) OR ((id = ANY (( SELECT (NULLIF(current_setting('trailmark.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[])) AND (partner_id = ( SELECT (NULLIF(current_setting('trailmark.partner_id'::text, true), ''::text))::uuid AS "nullif")))));

ALTER TABLE public.partners ENABLE ROW LEVEL SECURITY;

CREATE POLICY partners_tenant ON public.partners TO trailmark_app USING (((( SELECT current_setting('trailmark.scope'::text, true) AS current_setting) = 'system'::text) OR (id = ( SELECT (NULLIF(current_setting('trailmark.partner_id'::text, true), ''::text))::uuid AS "nullif"))));

ALTER TABLE public.refresh_tokens ENABLE ROW LEVEL SECURITY;

CREATE POLICY refresh_tokens_system ON public.refresh_tokens TO trailmark_app USING ((( SELECT current_setting('trailmark.scope'::text, true) AS current_setting) = 'system'::text));

ALTER TABLE public.user_organizations ENABLE ROW LEVEL SECURITY;

CREATE POLICY user_organizations_tenant ON public.user_organizations TO trailmark_app USING (((( SELECT current_setting('trailmark.scope'::text, true) AS current_setting) = 'system'::text) OR (org_id = ANY (( SELECT (NULLIF(current_setting('trailmark.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[]))));

ALTER TABLE public.user_preferences ENABLE ROW LEVEL SECURITY;

CREATE POLICY user_preferences_tenant ON public.user_preferences TO trailmark_app USING ((EXISTS ( SELECT
   FROM public.users u
  WHERE (u.id = user_preferences.user_id))));

ALTER TABLE public.users ENABLE ROW LEVEL SECURITY;

CREATE POLICY users_tenant ON public.users TO trailmark_app USING (((( SELECT current_setting('trailmark.scope'::text, true) AS current_setting) = 'system'::text) OR (org_id = ANY (( SELECT (NULLIF(current_setting('trailmark.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[])) OR ((org_id IS NULL) AND (partner_id = ( SELECT (NULLIF(current_setting('trailmark.partner_id'::text, true), ''::text))::uuid AS "nullif")))));

GRANT USAGE ON SCHEMA drizzle TO trailmark_app;
GRANT USAGE ON SCHEMA drizzle TO trailmark_audit_admin;

GRANT USAGE ON SCHEMA pgboss TO trailmark_app;

GRANT USAGE ON SCHEMA public TO trailmark_app;
GRANT USAGE ON SCHEMA public TO trailmark_audit_admin;
GRANT USAGE ON SCHEMA public TO trailmark_sealer;

REVOKE ALL ON FUNCTION public.audit_append(p_id uuid[], p_org_id uuid[], p_timestamp timestamp with time zone[], p_actor_type text[], p_actor_id uuid[], p_actor_email text[], p_action text[], p_resource_type text[], p_resource_id uuid[], p_resource_name text[], p_details text[], p_ip_address text[], p_user_agent text[], p_result text[], p_error_message text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.audit_append(p_id uuid[], p_org_id uuid[], p_timestamp timestamp with time zone[], p_actor_type text[], p_actor_id uuid[], p_actor_email text[], p_action text[], p_resource_type text[], p_resource_id uuid[], p_resource_name text[], p_details text[], p_ip_address text[], p_user_agent text[], p_result text[], p_error_message text[]) TO trailmark_app;
GRANT ALL ON FUNCTION public.audit_append(p_id uuid[], p_org_id uuid[], p_timestamp timestamp with time zone[], p_actor_type text[], p_actor_id uuid[], p_actor_email text[], p_action text[], p_resource_type text[], p_resource_id uuid[], p_resource_name text[], p_details text[], p_ip_address text[], p_user_agent text[], p_result text[], p_error_message text[]) TO trailmark_audit_admin;

REVOKE ALL ON FUNCTION public.audit_chain_head(org uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.audit_chain_head(org uuid) TO trailmark_app;
GRANT ALL ON FUNCTION public.audit_chain_head(org uuid) TO trailmark_audit_admin;

REVOKE ALL ON FUNCTION public.audit_chain_heads_of(orgs uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.audit_chain_heads_of(orgs uuid[]) TO trailmark_app;
GRANT ALL ON FUNCTION public.audit_chain_heads_of(orgs uuid[]) TO trailmark_audit_admin;

REVOKE ALL ON FUNCTION public.audit_chain_health() FROM PUBLIC;
GRANT ALL ON FUNCTION public.audit_chain_health() TO trailmark_app;
GRANT ALL ON FUNCTION public.audit_chain_health() TO trailmark_audit_admin;
GRANT ALL ON FUNCTION public.audit_chain_health() TO trailmark_owner;

REVOKE ALL ON TABLE public.audit_logs FROM trailmark_owner;
GRANT SELECT,INSERT,REFERENCES,TRIGGER ON TABLE public.audit_logs TO trailmark_owner;
GRANT SELECT ON TABLE public.audit_logs TO trailmark_app;
GRANT SELECT,DELETE ON TABLE public.audit_logs TO trailmark_audit_admin;
GRANT SELECT,INSERT ON TABLE public.audit_logs TO trailmark_sealer;

GRANT INSERT(id) ON TABLE public.audit_logs TO trailmark_app;

GRANT INSERT(org_id) ON TABLE public.audit_logs TO trailmark_app;

GRANT INSERT("timestamp") ON TABLE public.audit_logs TO trailmark_app;

GRANT INSERT(actor_type) ON TABLE public.audit_logs TO trailmark_app;

GRANT INSERT(actor_id) ON TABLE public.audit_logs TO trailmark_app;

GRANT INSERT(actor_email) ON TABLE public.audit_logs TO trailmark_app;

GRANT INSERT(action) ON TABLE public.audit_logs TO trailmark_app;

GRANT INSERT(resource_type) ON TABLE public.audit_logs TO trailmark_app;

GRANT INSERT(resource_id) ON TABLE public.audit_logs TO trailmark_app;

GRANT INSERT(resource_name) ON TABLE public.audit_logs TO trailmark_app;

GRANT INSERT(details) ON TABLE public.audit_logs TO trailmark_app;

GRANT INSERT(ip_address) ON TABLE public.audit_logs TO trailmark_app;

GRANT INSERT(user_agent) ON TABLE public.audit_logs TO trailmark_app;

GRANT INSERT(result) ON TABLE public.audit_logs TO trailmark_app;

GRANT INSERT(error_message) ON TABLE public.audit_logs TO trailmark_app;

GRANT UPDATE(checksum) ON TABLE public.audit_logs TO trailmark_sealer;

GRANT UPDATE(prev_checksum) ON TABLE public.audit_logs TO trailmark_sealer;

GRANT UPDATE(chain_seq) ON TABLE public.audit_logs TO trailmark_sealer;

GRANT UPDATE(seal_tx) ON TABLE public.audit_logs TO trailmark_sealer;

REVOKE ALL ON FUNCTION public.audit_checksum(r public.audit_logs) FROM PUBLIC;
GRANT ALL ON FUNCTION public.audit_checksum(r public.audit_logs) TO trailmark_app;
GRANT ALL ON FUNCTION public.audit_checksum(r public.audit_logs) TO trailmark_audit_admin;

REVOKE ALL ON FUNCTION public.audit_default_policy() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.audit_guard_delete() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.audit_lengths(id uuid, org_id uuid, ms bigint, actor_type text, actor_id uuid, actor_email text, action text, resource_type text, resource_id uuid, resource_name text, details text, ip_address text, user_agent text, result text, error_message text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.audit_lengths(id uuid, org_id uuid, ms bigint, actor_type text, actor_id uuid, actor_email text, action text, resource_type text, resource_id uuid, resource_name text, details text, ip_address text, user_agent text, result text, error_message text) TO trailmark_app;
GRANT ALL ON FUNCTION public.audit_lengths(id uuid, org_id uuid, ms bigint, actor_type text, actor_id uuid, actor_email text, action text, resource_type text, resource_id uuid, resource_name text, details text, ip_address text, user_agent text, result text, error_message text) TO trailmark_audit_admin;

REVOKE ALL ON FUNCTION public.audit_link(prev text, seq bigint, lengths text, vals text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.audit_link(prev text, seq bigint, lengths text, vals text) TO trailmark_app;
GRANT ALL ON FUNCTION public.audit_link(prev text, seq bigint, lengths text, vals text) TO trailmark_audit_admin;

REVOKE ALL ON FUNCTION public.audit_lock_key(org uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.audit_move_heads(orgs uuid[], old_seqs bigint[], new_seqs bigint[], new_links text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.audit_ms(at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.audit_ms(at timestamp with time zone) TO trailmark_app;
GRANT ALL ON FUNCTION public.audit_ms(at timestamp with time zone) TO trailmark_audit_admin;

REVOKE ALL ON FUNCTION public.audit_prune() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.audit_refuse() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.audit_seal() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.audit_seal_transaction(me xid8) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.audit_search_advance(p_org uuid, p_max integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.audit_search_advance(p_org uuid, p_max integer) TO trailmark_app;

REVOKE ALL ON FUNCTION public.audit_search_backlog() FROM PUBLIC;
GRANT ALL ON FUNCTION public.audit_search_backlog() TO trailmark_app;

REVOKE ALL ON FUNCTION public.audit_search_blocks(p_orgs uuid[], p_needle jsonb, p_rough_only boolean, p_cap bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.audit_search_blocks(p_orgs uuid[], p_needle jsonb, p_rough_only boolean, p_cap bigint) TO trailmark_app;

REVOKE ALL ON FUNCTION public.audit_search_clause(p_needle jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.audit_search_count(p_orgs uuid[], p_term text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.audit_search_count(p_orgs uuid[], p_term text) TO trailmark_app;

REVOKE ALL ON FUNCTION public.audit_search_follow_prune(p_org uuid, p_pruned bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.audit_search_make(p_org uuid, p_after bigint, p_through bigint, p_all boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.audit_search_name(p_org uuid, p_after bigint, p_through bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.audit_search_text(t text) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.audit_search_pattern(term text) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.audit_search_reach(p_orgs uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.audit_search_tag(value text) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.audit_search_tally(p_org uuid, p_after bigint, p_through bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.audit_search_window(p_orgs uuid[], p_needle jsonb, p_before_at timestamp with time zone, p_before_org uuid, p_before_seq bigint, p_size integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.audit_search_window(p_orgs uuid[], p_needle jsonb, p_before_at timestamp with time zone, p_before_org uuid, p_before_seq bigint, p_size integer) TO trailmark_app;

REVOKE ALL ON FUNCTION public.audit_self_test() FROM PUBLIC;
GRANT ALL ON FUNCTION public.audit_self_test() TO trailmark_owner;

REVOKE ALL ON FUNCTION public.audit_values(id uuid, org_id uuid, ms bigint, actor_type text, actor_id uuid, actor_email text, action text, resource_type text, resource_id uuid, resource_name text, details text, ip_address text, user_agent text, result text, error_message text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.audit_values(id uuid, org_id uuid, ms bigint, actor_type text, actor_id uuid, actor_email text, action text, resource_type text, resource_id uuid, resource_name text, details text, ip_address text, user_agent text, result text, error_message text) TO trailmark_app;
GRANT ALL ON FUNCTION public.audit_values(id uuid, org_id uuid, ms bigint, actor_type text, actor_id uuid, actor_email text, action text, resource_type text, resource_id uuid, resource_name text, details text, ip_address text, user_agent text, result text, error_message text) TO trailmark_audit_admin;

GRANT SELECT ON TABLE drizzle.__drizzle_migrations TO trailmark_app;
GRANT SELECT ON TABLE drizzle.__drizzle_migrations TO trailmark_audit_admin;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE pgboss.archive TO trailmark_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE pgboss.job TO trailmark_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE pgboss.j3f168501ed9816b51a9f5765e0742e1eb034ab6bf72c9ae3f3a975e3 TO trailmark_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE pgboss.j810862194b3319c141f4da742ece1efa20bc50510d682a1a855137fc TO trailmark_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE pgboss.jb336de88984af0ca24bb2b3ab28dc9142924d1dcc8dbb6d2d40ce02c TO trailmark_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE pgboss.queue TO trailmark_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE pgboss.schedule TO trailmark_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE pgboss.subscription TO trailmark_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE pgboss.version TO trailmark_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.agent_logs TO trailmark_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.agent_streams TO trailmark_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.agents TO trailmark_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.api_keys TO trailmark_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.audit_alarms TO trailmark_app;

REVOKE ALL ON TABLE public.audit_chain_heads FROM trailmark_owner;
GRANT SELECT,INSERT,REFERENCES,TRIGGER ON TABLE public.audit_chain_heads TO trailmark_owner;
GRANT SELECT,INSERT,UPDATE ON TABLE public.audit_chain_heads TO trailmark_sealer;
GRANT SELECT ON TABLE public.audit_chain_heads TO trailmark_audit_admin;

GRANT SELECT,INSERT,UPDATE ON TABLE public.audit_retention_policies TO trailmark_app;
GRANT SELECT ON TABLE public.audit_retention_policies TO trailmark_audit_admin;
GRANT SELECT,INSERT ON TABLE public.audit_retention_policies TO trailmark_sealer;

GRANT UPDATE(last_cleanup_at) ON TABLE public.audit_retention_policies TO trailmark_audit_admin;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.audit_saved_views TO trailmark_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.audit_search TO trailmark_sealer;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.audit_search_state TO trailmark_sealer;
GRANT SELECT ON TABLE public.audit_search_state TO trailmark_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.audit_search_terms TO trailmark_sealer;
GRANT SELECT ON TABLE public.audit_search_terms TO trailmark_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.audit_tallies TO trailmark_sealer;
GRANT SELECT ON TABLE public.audit_tallies TO trailmark_app;

GRANT SELECT,INSERT ON TABLE public.audit_verifications TO trailmark_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.custom_field_definitions TO trailmark_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.custom_field_import_changes TO trailmark_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.custom_field_import_mappings TO trailmark_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.custom_field_import_results TO trailmark_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.custom_field_import_rows TO trailmark_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.custom_field_imports TO trailmark_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.custom_field_values TO trailmark_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.device_event_logs TO trailmark_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.device_source_ids TO trailmark_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.devices TO trailmark_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.enrollment_keys TO trailmark_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.live_commands TO trailmark_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.organizations TO trailmark_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.partners TO trailmark_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.refresh_tokens TO trailmark_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.user_organizations TO trailmark_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.user_preferences TO trailmark_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.users TO trailmark_app;

