-- Finding audit rows without reading the history, and without costing the write path anything: an indexer in the
-- background gathers some thirty consecutive rows of a chain into a block and indexes the block. A search first finds
-- the blocks that can hold a match, then looks at their rows in audit_logs; rows that are not indexed yet are looked at
-- too, so an answer is exact whatever the indexer's lag.
--
-- ILIKE is not leakproof: under row level security it never becomes an index condition. So audit_search is read by
-- functions of trailmark_sealer alone, which see every row and themselves compare the organizations with the
-- transaction's tenant settings, as audit_chain_heads_of() does. They give out block boundaries, never text.

ALTER TABLE audit_search ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE audit_search_terms ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE audit_search_state ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE audit_tallies ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['audit_search', 'audit_search_terms', 'audit_search_state', 'audit_tallies'] LOOP
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO trailmark_sealer', t);
    EXECUTE format('CREATE POLICY %I ON %I TO trailmark_sealer USING (true)', t || '_sealer', t);
  END LOOP;
  FOREACH t IN ARRAY ARRAY['audit_search_terms', 'audit_search_state', 'audit_tallies'] LOOP
    EXECUTE format('GRANT SELECT ON %I TO trailmark_app', t);
    EXECUTE format($policy$CREATE POLICY %I ON %I FOR SELECT TO trailmark_app
      USING ((SELECT current_setting('trailmark.scope', true)) = 'system'
        OR org_id = ANY ((SELECT NULLIF(current_setting('trailmark.org_ids', true), '')::uuid[])::uuid[]))$policy$, t || '_tenant', t);
  END LOOP;
END
$$;
--> statement-breakpoint
-- A block's text is compressed in place (a fifth of its length); beside the table it would cost a look-up a block.
ALTER TABLE audit_search ALTER COLUMN text SET STORAGE MAIN;
--> statement-breakpoint
ALTER TABLE audit_search_state SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
--> statement-breakpoint

-- Text as blocks hold it, and terms as they are looked up in them: in lower case, every byte beyond ASCII as three octal
-- digits, since a cluster with the C locale extracts no trigrams from other letters. It maps byte by byte, so what is
-- part of a text is part of its image; the reverse need not hold, which the look at the row sorts out.
CREATE FUNCTION audit_search_text(t text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN translate(replace(encode(convert_to(lower(t), 'UTF8'), 'escape'), E'\\\\', E'\x1f'), E'\x1f\\', E'\\');
--> statement-breakpoint

-- The LIKE pattern that finds a term in a block.
CREATE FUNCTION audit_search_pattern(term text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '%' || regexp_replace(audit_search_text(term), '([\\%_])', '\\\1', 'g') || '%';
--> statement-breakpoint

-- An exact value ('action:user.login') as a block's tag. Two values may share one: a block is a candidate, no more.
CREATE FUNCTION audit_search_tag(value text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN hashtext(value);
--> statement-breakpoint

-- The indexer ---------------------------------------------------------------------------------------------------

-- Makes blocks of the rows in (after, through] and returns the last row of the last one. A block is full at 8 KiB of
-- text, where a row counts for a thirty-second part at least; one that is not full is kept back unless told otherwise.
CREATE FUNCTION audit_search_make(p_org uuid, p_after bigint, p_through bigint, p_all boolean) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  WITH named AS (
    SELECT a.chain_seq, a."timestamp", a.action, a.actor_email, a.result, a.actor_type, a.actor_id, a.resource_id,
      concat_ws(E'\n', a.action, a.actor_email, a.resource_type, a.resource_name, a.details::text) AS line
    FROM audit_logs a WHERE a.org_id = p_org AND a.chain_seq > p_after AND a.chain_seq <= p_through),
  weighed AS (SELECT *, (sum(least(greatest(octet_length(line), 256), 8192)) OVER (ORDER BY chain_seq) - 1) / 8192 AS block FROM named),
  blocks AS (
    SELECT block, min(chain_seq) AS first_seq, max(chain_seq) AS last_seq, min("timestamp") AS min_at, max("timestamp") AS max_at,
      bool_or(octet_length(line) <> char_length(line) OR line ~ E'[\x1e\x1f]') AS rough,
      array_agg(audit_search_tag('action:' || action)) || array_agg(audit_search_tag('email:' || actor_email)) || array_agg(audit_search_tag('result:' || result))
        || array_agg(audit_search_tag('type:' || actor_type)) || array_agg(audit_search_tag('actor:' || actor_id))
        || array_agg(audit_search_tag('resource:' || resource_id)) AS tags,
      string_agg(line, E'\x1e' ORDER BY chain_seq) AS text
    FROM weighed GROUP BY block),
  made AS (
    INSERT INTO audit_search (org_id, first_seq, last_seq, min_at, max_at, rough, tags, text)
    SELECT p_org, first_seq, last_seq, min_at, max_at, rough, ARRAY(SELECT DISTINCT t FROM unnest(tags) AS t WHERE t IS NOT NULL), audit_search_text(text)
    FROM blocks WHERE p_all OR block < (SELECT max(block) FROM blocks)
    RETURNING last_seq)
  SELECT max(last_seq) FROM made
$$;
--> statement-breakpoint

-- Remembers the distinct actions and addresses of the rows in (after, through].
CREATE FUNCTION audit_search_name(p_org uuid, p_after bigint, p_through bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  INSERT INTO audit_search_terms (org_id, kind, value)
  SELECT DISTINCT p_org, v.kind, v.value
  FROM audit_logs a, LATERAL (VALUES ('action', a.action), ('email', a.actor_email)) AS v(kind, value)
  WHERE a.org_id = p_org AND a.chain_seq > p_after AND a.chain_seq <= p_through AND v.value IS NOT NULL
  ON CONFLICT DO NOTHING
$$;
--> statement-breakpoint

-- Counts the rows in (after, through] by kind and quarter of a UTC day.
CREATE FUNCTION audit_search_tally(p_org uuid, p_after bigint, p_through bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  INSERT INTO audit_tallies (org_id, first_seq, last_seq, since, action, actor_type, result, rows)
  SELECT p_org, p_after + 1, p_through, date_bin('6 hours', a."timestamp", timestamptz '1970-01-01T00:00:00Z'), a.action, a.actor_type, a.result, count(*)
  FROM audit_logs a WHERE a.org_id = p_org AND a.chain_seq > p_after AND a.chain_seq <= p_through
  GROUP BY 4, 5, 6, 7
$$;
--> statement-breakpoint

-- Retention took the oldest rows: what is known of them goes, also from the block and the slice in which the cut lies,
-- and values that no row has any more.
CREATE FUNCTION audit_search_follow_prune(p_org uuid, p_pruned bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
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
--> statement-breakpoint

-- Organizations with work for the indexer, most of it first.
CREATE FUNCTION audit_search_backlog() RETURNS TABLE (org_id uuid, rows bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT h.org_id, h.seq - greatest(h.pruned_through_seq, coalesce(s.indexed_through_seq, 0))
  FROM audit_chain_heads h LEFT JOIN audit_search_state s ON s.org_id = h.org_id
  WHERE (SELECT current_setting('trailmark.scope', true)) = 'system'
    AND (h.seq - greatest(h.pruned_through_seq, coalesce(s.indexed_through_seq, 0)) >= 128 OR h.pruned_through_seq > coalesce(s.pruned_through_seq, 0))
  ORDER BY 2 DESC LIMIT 100
$$;
--> statement-breakpoint

-- One step of the indexer in one chain: follow retention, index up to `p_max` rows, count them. Returns how many rows were
-- indexed; NULL while another process holds the indexer's lock.
CREATE FUNCTION audit_search_advance(p_org uuid, p_max integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_custom_plan AS $$
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
--> statement-breakpoint

-- Reading -------------------------------------------------------------------------------------------------------

-- Those of the organizations that the transaction's tenant settings reach.
CREATE FUNCTION audit_search_reach(p_orgs uuid[]) RETURNS uuid[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT coalesce(array_agg(o), '{}') FROM unnest(p_orgs) AS o
  WHERE (SELECT current_setting('trailmark.scope', true)) = 'system'
    OR o = ANY ((SELECT NULLIF(current_setting('trailmark.org_ids', true), '')::uuid[])::uuid[])
$$;
--> statement-breakpoint

-- A question to blocks as SQL over `s`: every term is part of the text, of every set of values one is among the tags, the
-- span is touched. {"terms": [text], "tags": [[value]], "from": time, "to": time}; literals, so that the planner sees them.
CREATE FUNCTION audit_search_clause(p_needle jsonb) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT coalesce(string_agg(clause, ' AND '), 'true') FROM (
    SELECT format('s.text LIKE %L', audit_search_pattern(term)) AS clause FROM jsonb_array_elements_text(p_needle -> 'terms') AS term
    UNION ALL
    SELECT format('s.tags && %L::integer[]', ARRAY(SELECT audit_search_tag(v) FROM jsonb_array_elements_text(one) AS v)) FROM jsonb_array_elements(p_needle -> 'tags') AS one
    UNION ALL
    SELECT format('s.max_at >= %L::timestamptz', p_needle ->> 'from') WHERE p_needle ->> 'from' IS NOT NULL
    UNION ALL
    SELECT format('s.min_at <= %L::timestamptz', p_needle ->> 'to') WHERE p_needle ->> 'to' IS NOT NULL) clauses
$$;
--> statement-breakpoint

-- Blocks that can hold a match, in no order, at most `p_cap` (NULL: all) of each organization.
CREATE FUNCTION audit_search_blocks(p_orgs uuid[], p_needle jsonb, p_rough_only boolean, p_cap bigint)
RETURNS TABLE (org_id uuid, first_seq bigint, last_seq bigint, max_at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1000 SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  orgs uuid[] := audit_search_reach(p_orgs);
  clause text := audit_search_clause(p_needle) || CASE WHEN p_rough_only THEN
    ' AND (s.rough OR s.first_seq <= (SELECT h.pruned_through_seq FROM audit_chain_heads h WHERE h.org_id = s.org_id))' ELSE '' END;
  org uuid;
BEGIN
  FOREACH org IN ARRAY orgs LOOP
    RETURN QUERY EXECUTE format('SELECT s.org_id, s.first_seq, s.last_seq, s.max_at::timestamptz FROM audit_search s WHERE s.org_id = %L AND %s LIMIT $1', org, clause) USING p_cap;
  END LOOP;
END
$$;
--> statement-breakpoint

-- The next `p_size` blocks, newest first, before a place in (max_at, org_id, first_seq) order, of which those are given out
-- that can hold a match, and always the last, whose place is where to go on. seen tells whether there were p_size.
CREATE FUNCTION audit_search_window(p_orgs uuid[], p_needle jsonb, p_before_at timestamptz, p_before_org uuid, p_before_seq bigint, p_size integer)
RETURNS TABLE (org_id uuid, first_seq bigint, last_seq bigint, max_at timestamptz, matches boolean, seen bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1000 SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  RETURN QUERY EXECUTE format($q$
    SELECT w.org_id, w.first_seq, w.last_seq, w.max_at::timestamptz, w.matches, w.seen FROM (
      SELECT k.*, count(*) OVER () AS seen, row_number() OVER (ORDER BY k.max_at, k.org_id, k.first_seq) AS place,
        (SELECT %s FROM audit_search s WHERE s.org_id = k.org_id AND s.first_seq = k.first_seq) AS matches
      FROM (
        SELECT n.* FROM unnest($1) AS o(id), LATERAL (
          SELECT b.org_id, b.first_seq, b.last_seq, b.max_at FROM audit_search b WHERE b.org_id = o.id
            AND ($2 IS NULL OR (b.max_at <= $2 AND (b.max_at, b.org_id, b.first_seq) < ($2, $3, $4)))
          ORDER BY b.max_at DESC, b.first_seq DESC LIMIT $5) n
        ORDER BY n.max_at DESC, n.org_id DESC, n.first_seq DESC LIMIT $5) k) w
    WHERE w.matches OR w.place = 1$q$, audit_search_clause(p_needle))
  USING audit_search_reach(p_orgs), p_before_at, p_before_org, p_before_seq, p_size;
END
$$;
--> statement-breakpoint

-- How many rows hold a term, in the blocks whose text alone can tell (not rough, not cut by retention). The term is plain
-- ASCII without control characters.
CREATE FUNCTION audit_search_count(p_orgs uuid[], p_term text) RETURNS bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  org uuid; pattern text := audit_search_pattern(p_term); pruned bigint; found bigint; total bigint := 0;
BEGIN
  FOREACH org IN ARRAY audit_search_reach(p_orgs) LOOP
    SELECT h.pruned_through_seq INTO pruned FROM audit_chain_heads h WHERE h.org_id = org;
    EXECUTE format('SELECT sum((SELECT count(*) FROM string_to_table(s.text, E''\x1e'') AS line WHERE line LIKE %1$L))
      FROM audit_search s WHERE s.org_id = %2$L AND s.text LIKE %1$L AND NOT s.rough AND s.first_seq > $1', pattern, org) INTO found USING coalesce(pruned, 0);
    total := total + coalesce(found, 0);
  END LOOP;
  RETURN total;
END
$$;
--> statement-breakpoint

-- Ownership, as in the chain's migration: the sealer sees every row, nobody but the application asks.
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
  FOR f IN SELECT oid FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND proname LIKE 'audit\_search\_%' LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', f);
    EXECUTE format('ALTER FUNCTION %s OWNER TO trailmark_sealer', f);
  END LOOP;
  REVOKE CREATE ON SCHEMA public FROM trailmark_sealer;
  GRANT EXECUTE ON FUNCTION audit_search_backlog, audit_search_advance, audit_search_blocks, audit_search_window, audit_search_count TO trailmark_app;
  IF NOT super THEN
    BEGIN
      EXECUTE format('REVOKE trailmark_sealer FROM %I', current_user);
    EXCEPTION WHEN insufficient_privilege THEN NULL;
    END;
  END IF;
END
$$;
