-- Several organizations are asked at once: one look into the index for all of them, not one each. A window begins and ends
-- within the span that the question has, along its own index.

-- Replacing a function takes membership in its owner, for these lines only (see the end of the chain's migration).
DO $$
BEGIN
  IF NOT pg_has_role(current_user, 'trailmark_sealer', 'USAGE') THEN EXECUTE format('GRANT trailmark_sealer TO %I', current_user); END IF;
END
$$;
--> statement-breakpoint
GRANT CREATE ON SCHEMA public TO trailmark_sealer;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION audit_search_blocks(p_orgs uuid[], p_needle jsonb, p_rough_only boolean, p_cap bigint)
RETURNS TABLE (org_id uuid, first_seq bigint, last_seq bigint, max_at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1000 SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  orgs uuid[] := audit_search_reach(p_orgs);
  one text := CASE cardinality(orgs) WHEN 1 THEN format('s.org_id = %L', orgs[1]) ELSE 's.org_id = ANY ($2)' END;
  clause text := audit_search_clause(p_needle) || CASE WHEN p_rough_only THEN
    ' AND (s.rough OR s.first_seq <= (SELECT h.pruned_through_seq FROM audit_chain_heads h WHERE h.org_id = s.org_id))' ELSE '' END;
BEGIN
  RETURN QUERY EXECUTE format('SELECT s.org_id, s.first_seq, s.last_seq, s.max_at::timestamptz FROM audit_search s WHERE %s AND %s LIMIT $1', one, clause)
    USING p_cap, orgs;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION audit_search_window(p_orgs uuid[], p_needle jsonb, p_before_at timestamptz, p_before_org uuid, p_before_seq bigint, p_size integer)
RETURNS TABLE (org_id uuid, first_seq bigint, last_seq bigint, max_at timestamptz, matches boolean, seen bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1000 SET search_path = pg_catalog, public, pg_temp AS $$
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
$$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION audit_search_count(p_orgs uuid[], p_term text) RETURNS bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
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
$$;
--> statement-breakpoint
REVOKE CREATE ON SCHEMA public FROM trailmark_sealer;
--> statement-breakpoint
DO $$
BEGIN
  IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN EXECUTE format('REVOKE trailmark_sealer FROM %I', current_user); END IF;
EXCEPTION WHEN insufficient_privilege THEN NULL;
END
$$;
