-- The tamper-evident chain. audit_logs takes rows and never changes or loses one except by retention; every row
-- gets, at the latest when its transaction commits, the next number of its organization's chain and a SHA-256 over
-- its canonical payload, in which the checksum of the row before is the first field (docs: the chain, version 1).
--
-- Two ways in, one chain. audit_append() is the batch writer's: it locks the organizations, links in memory and
-- inserts rows that are already sealed. Every other INSERT is sealed by a deferred constraint trigger at commit, so
-- an open transaction never makes another writer of its organization wait. Both take the same advisory lock per
-- organization, in key order, in a statement of its own before the head is read: in READ COMMITTED the next
-- statement's snapshot then sees what the last holder committed.
--
-- A chain has one head. It is found as the greatest sequence in its key, never by organization alone: while a snapshot is
-- held open somewhere (a backup, a long report) the old versions of a head cannot be removed, and a look-up by
-- organization would walk through all of them at every seal. For the same reason, and because a session keeps plans that it
-- made while the tables were small, the sealing functions forbid plans that read a table from end to end.
--
-- trailmark_sealer owns the functions that seal. It cannot log in, is nobody's member and has exactly the rights
-- used here. Row level security is forced, so each table it touches has a USING (true) policy for it: without one
-- the sealing trigger would see no row and commit it unsealed, which is why it raises when it cannot see its row.

ALTER TABLE audit_chain_heads SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
--> statement-breakpoint
ALTER TABLE audit_logs SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);
--> statement-breakpoint

-- Rights and row level security -------------------------------------------------------------------------------

GRANT SELECT ON audit_logs TO trailmark_app, trailmark_audit_admin, trailmark_sealer;
--> statement-breakpoint
GRANT INSERT (id, org_id, "timestamp", actor_type, actor_id, actor_email, action, resource_type, resource_id, resource_name, details,
  ip_address, user_agent, result, error_message) ON audit_logs TO trailmark_app;
--> statement-breakpoint
GRANT INSERT, UPDATE (chain_seq, checksum, prev_checksum, seal_tx) ON audit_logs TO trailmark_sealer;
--> statement-breakpoint
GRANT DELETE ON audit_logs TO trailmark_audit_admin;
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE ON audit_chain_heads TO trailmark_sealer;
--> statement-breakpoint
GRANT SELECT ON audit_chain_heads TO trailmark_audit_admin;
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE ON audit_retention_policies TO trailmark_app;
--> statement-breakpoint
GRANT SELECT, UPDATE (last_cleanup_at) ON audit_retention_policies TO trailmark_audit_admin;
--> statement-breakpoint
GRANT SELECT, INSERT ON audit_retention_policies TO trailmark_sealer;
--> statement-breakpoint
-- The owner could take these back, but not by mistake.
REVOKE UPDATE, DELETE, TRUNCATE ON audit_logs, audit_chain_heads FROM CURRENT_USER;
--> statement-breakpoint
ALTER TABLE audit_logs ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE audit_chain_heads ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE audit_retention_policies ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY audit_logs_tenant ON audit_logs TO trailmark_app
  USING ((SELECT current_setting('trailmark.scope', true)) = 'system'
    OR org_id = ANY ((SELECT NULLIF(current_setting('trailmark.org_ids', true), '')::uuid[])::uuid[]));
--> statement-breakpoint
CREATE POLICY audit_retention_policies_tenant ON audit_retention_policies TO trailmark_app
  USING ((SELECT current_setting('trailmark.scope', true)) = 'system'
    OR org_id = ANY ((SELECT NULLIF(current_setting('trailmark.org_ids', true), '')::uuid[])::uuid[]));
--> statement-breakpoint
CREATE POLICY audit_logs_sealer ON audit_logs TO trailmark_sealer USING (true);
--> statement-breakpoint
CREATE POLICY audit_chain_heads_sealer ON audit_chain_heads TO trailmark_sealer USING (true);
--> statement-breakpoint
CREATE POLICY audit_retention_policies_sealer ON audit_retention_policies TO trailmark_sealer USING (true);
--> statement-breakpoint
CREATE POLICY audit_logs_admin ON audit_logs TO trailmark_audit_admin USING (true);
--> statement-breakpoint
CREATE POLICY audit_chain_heads_admin ON audit_chain_heads FOR SELECT TO trailmark_audit_admin USING (true);
--> statement-breakpoint
CREATE POLICY audit_retention_policies_admin ON audit_retention_policies TO trailmark_audit_admin USING (true);
--> statement-breakpoint

-- The canonical payload, version 1 ----------------------------------------------------------------------------

-- Every length after that of chainSeq. Plain SQL bodies without settings: the planner puts them into the calling
-- statement, so one definition serves every path at the speed of an expression. (concat() would read better; in the
-- PostgreSQL that npm brings it takes twice the time.)
CREATE FUNCTION audit_lengths(id uuid, org_id uuid, ms bigint, actor_type text, actor_id uuid, actor_email text, action text,
  resource_type text, resource_id uuid, resource_name text, details text, ip_address text, user_agent text, result text, error_message text)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '36,36,' || octet_length(ms::text)::text || ',' || octet_length(actor_type)::text || ',36,' || coalesce(octet_length(actor_email)::text, '-') || ','
  || octet_length(action)::text || ',' || octet_length(resource_type)::text || CASE WHEN resource_id IS NULL THEN ',-,' ELSE ',36,' END
  || coalesce(octet_length(resource_name)::text, '-') || ',' || coalesce(octet_length(details)::text, '-') || ','
  || coalesce(octet_length(ip_address)::text, '-') || ',' || coalesce(octet_length(user_agent)::text, '-') || ',' || octet_length(result)::text
  || ',' || coalesce(octet_length(error_message)::text, '-');
--> statement-breakpoint

-- Every value after chainSeq. The parentheses keep a long details from being copied at every step.
CREATE FUNCTION audit_values(id uuid, org_id uuid, ms bigint, actor_type text, actor_id uuid, actor_email text, action text,
  resource_type text, resource_id uuid, resource_name text, details text, ip_address text, user_agent text, result text, error_message text)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id::text || org_id::text || ms::text || actor_type || actor_id::text || coalesce(actor_email, '') || action || resource_type
  || coalesce(resource_id::text, '') || coalesce(resource_name, '') || coalesce(details, '')
  || (coalesce(ip_address, '') || coalesce(user_agent, '') || result || coalesce(error_message, ''));
--> statement-breakpoint

-- Whole milliseconds since 1970 of a timestamptz(3); a double holds them exactly until the year 9999.
CREATE FUNCTION audit_ms(at timestamptz) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (date_part('epoch', at - timestamptz '1970-01-01T00:00:00Z') * 1000)::bigint;
--> statement-breakpoint

-- The checksum: of the row before, or NULL, of its own number and of the two texts above.
CREATE FUNCTION audit_link(prev text, seq bigint, lengths text, vals text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
RETURN encode(sha256(convert_to('v1;' || coalesce(octet_length(prev)::text, '-') || ',' || octet_length(seq::text)::text || ',' || lengths || ';'
  || coalesce(prev, '') || seq::text || vals, 'UTF8')), 'hex');
--> statement-breakpoint

-- What the checksum of a stored row must be, given its own prev_checksum and chain_seq.
CREATE FUNCTION audit_checksum(r audit_logs) RETURNS text LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp AS $$
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
--> statement-breakpoint

-- The advisory lock of an organization's chain.
CREATE FUNCTION audit_lock_key(org uuid) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN uuid_hash_extended(org, 110);
--> statement-breakpoint

-- Sealing -----------------------------------------------------------------------------------------------------

-- Seals every unsealed row of this transaction at once: locks in key order, then one pass, then the heads. The heads
-- move by compare and set, so a chain that somebody moved without the lock fails instead of forking.
CREATE FUNCTION audit_seal_transaction(me xid8) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
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
--> statement-breakpoint

-- Moves the heads from the sequences that were read under the lock; a chain's first head is made.
CREATE FUNCTION audit_move_heads(orgs uuid[], old_seqs bigint[], new_seqs bigint[], new_links text[]) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
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
--> statement-breakpoint

-- Fires at commit for each row that was inserted unsealed. One row: it is sealed here. More: the first firing seals all
-- of them and leaves a mark, so that the later ones cost one look at the primary key; a forged mark costs time, never a seal.
CREATE FUNCTION audit_seal() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
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
--> statement-breakpoint

-- The batch writer's way in: one array per column, up to some hundred rows of any organizations, each with its id and
-- timestamp. Known (org_id, id) pairs are skipped and take no number; an id of another organization is an error. Returns
-- how many rows were new. To be called in autocommit: after an earlier write in the same transaction, or when an id is
-- already there, rows go in unsealed and the trigger seals them at commit (two such transactions could deadlock otherwise).
CREATE FUNCTION audit_append(p_id uuid[], p_org_id uuid[], p_timestamp timestamptz[], p_actor_type text[], p_actor_id uuid[], p_actor_email text[],
  p_action text[], p_resource_type text[], p_resource_id uuid[], p_resource_name text[], p_details text[], p_ip_address text[],
  p_user_agent text[], p_result text[], p_error_message text[])
RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
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
--> statement-breakpoint

-- Refusals ----------------------------------------------------------------------------------------------------

CREATE FUNCTION audit_refuse() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'insufficient_privilege', HINT = coalesce(TG_ARGV[0], 'Rows leave by retention alone.');
END
$$;
--> statement-breakpoint

-- Only the retention role, and only with the setting that says it means it. Members count when they inherit the role;
-- a superuser, a member of everything, does not. Runs as the caller.
CREATE FUNCTION audit_guard_delete() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
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
--> statement-breakpoint

-- What a DELETE may have taken: for each organization with a policy, the oldest rows of its chain without a gap, every one
-- of them past the window. Anything else is undone. The head remembers how far, and a receipt goes into the chain itself.
CREATE FUNCTION audit_prune() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
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
--> statement-breakpoint

-- Spec: every organization created from now on, by any route, has the 365-day policy.
CREATE FUNCTION audit_default_policy() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  INSERT INTO audit_retention_policies (org_id) VALUES (NEW.id);
  RETURN NULL;
END
$$;
--> statement-breakpoint

-- Triggers. What a row says can be updated by nobody, whatever the statement would hit; the seal columns once, by the sealer
-- alone, for nobody else has the right: not even the tables' owner, from whom it is taken below. Guards that hang on columns,
-- and rights, cost the legal path nothing; a condition is parsed anew for every statement.
CREATE CONSTRAINT TRIGGER audit_logs_seal AFTER INSERT ON audit_logs DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.chain_seq IS NULL) EXECUTE FUNCTION audit_seal();
--> statement-breakpoint
CREATE TRIGGER audit_logs_no_update BEFORE UPDATE OF id, org_id, "timestamp", actor_type, actor_id, actor_email, action, resource_type,
  resource_id, resource_name, details, ip_address, user_agent, result, error_message ON audit_logs
  FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();
--> statement-breakpoint
CREATE TRIGGER audit_logs_seal_once BEFORE UPDATE ON audit_logs
  FOR EACH ROW WHEN (OLD.chain_seq IS NOT NULL OR NEW.chain_seq IS NULL OR NEW.checksum IS NULL) EXECUTE FUNCTION audit_refuse('A row is sealed once.');
--> statement-breakpoint
CREATE TRIGGER audit_logs_guard_delete BEFORE DELETE ON audit_logs FOR EACH STATEMENT EXECUTE FUNCTION audit_guard_delete();
--> statement-breakpoint
CREATE TRIGGER audit_logs_prune AFTER DELETE ON audit_logs REFERENCING OLD TABLE AS pruned FOR EACH STATEMENT EXECUTE FUNCTION audit_prune();
--> statement-breakpoint
CREATE TRIGGER audit_logs_no_truncate BEFORE TRUNCATE ON audit_logs FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();
--> statement-breakpoint
CREATE TRIGGER audit_chain_heads_no_delete BEFORE DELETE ON audit_chain_heads FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();
--> statement-breakpoint
CREATE TRIGGER audit_chain_heads_no_truncate BEFORE TRUNCATE ON audit_chain_heads FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();
--> statement-breakpoint
CREATE TRIGGER organizations_retention_policy AFTER INSERT ON organizations FOR EACH ROW EXECUTE FUNCTION audit_default_policy();
--> statement-breakpoint

-- Reading -----------------------------------------------------------------------------------------------------

-- The heads of those organizations that the transaction's tenant settings reach: the application role has no right on
-- the table itself.
CREATE FUNCTION audit_chain_heads_of(orgs uuid[])
RETURNS TABLE (org_id uuid, seq bigint, checksum text, pruned_through_seq bigint, pruned_through_checksum text)
LANGUAGE sql STABLE SECURITY DEFINER ROWS 10 SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT h.org_id, h.seq, h.checksum, h.pruned_through_seq, h.pruned_through_checksum
  FROM (SELECT DISTINCT unnest(orgs) AS org) o
  CROSS JOIN LATERAL (SELECT * FROM audit_chain_heads c WHERE c.org_id = o.org ORDER BY c.seq DESC LIMIT 1) h
  WHERE (SELECT current_setting('trailmark.scope', true)) = 'system'
    OR o.org = ANY ((SELECT NULLIF(current_setting('trailmark.org_ids', true), '')::uuid[])::uuid[])
$$;
--> statement-breakpoint

-- The same for one organization.
CREATE FUNCTION audit_chain_head(org uuid)
RETURNS TABLE (org_id uuid, seq bigint, checksum text, pruned_through_seq bigint, pruned_through_checksum text)
LANGUAGE sql STABLE SECURITY DEFINER ROWS 1 SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT * FROM audit_chain_heads_of(ARRAY[org])
$$;
--> statement-breakpoint

-- Everything that the chain's promises rest on, as a list of faults; empty when all is well. For /readyz and doctor.
CREATE FUNCTION audit_chain_health() RETURNS text[] LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
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
--> statement-breakpoint

-- Both ways in, tried as the sealer under forced row level security, and undone. Raises when a promise does not hold.
CREATE FUNCTION audit_self_test() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
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
--> statement-breakpoint

-- Ownership. Giving a function away needs membership in the new owner and its CREATE on the schema; an owner that is no
-- superuser gets both for these lines only. Where it may not grant the membership, the operator has made it a member.
DO $$
DECLARE f regprocedure; super boolean := (SELECT rolsuper FROM pg_roles WHERE rolname = current_user);
BEGIN
  IF NOT super THEN
    BEGIN
      EXECUTE format('GRANT trailmark_sealer TO %I', current_user);
    EXCEPTION WHEN insufficient_privilege THEN
      RAISE NOTICE 'cannot grant trailmark_sealer to %, going on as the member it must be', current_user;
    END;
  END IF;
  GRANT CREATE ON SCHEMA public TO trailmark_sealer;
  FOR f IN SELECT oid FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND proname LIKE 'audit\_%' LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', f);
    EXECUTE format('ALTER FUNCTION %s OWNER TO trailmark_sealer', f);
  END LOOP;
  REVOKE CREATE ON SCHEMA public FROM trailmark_sealer;
  GRANT EXECUTE ON FUNCTION audit_append, audit_chain_head, audit_chain_heads_of, audit_chain_health, audit_checksum, audit_link, audit_lengths,
    audit_values, audit_ms TO trailmark_app, trailmark_audit_admin;
  GRANT EXECUTE ON FUNCTION audit_chain_health, audit_self_test TO CURRENT_USER;
  PERFORM audit_self_test();
  IF NOT super THEN
    BEGIN
      EXECUTE format('REVOKE trailmark_sealer FROM %I', current_user);
    EXCEPTION WHEN insufficient_privilege THEN NULL;
    END;
  END IF;
END
$$;
