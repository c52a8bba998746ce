-- Indexes the rows in (after, through] as blocks and returns the last row of the last one. A block is full at 4 KiB
-- of text, where a row counts for an eighth part at least; one that is not full is kept back unless p_all. What
-- filters match exactly becomes a tag of the block, an address also its network (the first two parts, as written and
-- in canonical form). A row's line is the searched fields without action and resource type, then behind a separator
-- what words are looked up in besides; action, resource type, actor type and result are its kind. Each step is a
-- separate query (OFFSET 0): folded into one, an expression would be evaluated at every use.
-- A migration that changes what a block holds empties the index, which is then built again.
CREATE OR REPLACE FUNCTION audit_search_make(p_org uuid, p_after bigint, p_through bigint, p_all boolean) RETURNS bigint
LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
  WITH lines AS (
    SELECT a.chain_seq, a."timestamp", a.action, a.actor_email, a.result, a.actor_type, a.actor_id, a.resource_id,
      a.resource_type, a.ip_address, a.details ->> 'rawActorId' AS raw_actor,
      CASE WHEN a.resource_type = 'device' THEN a.resource_name END AS device,
      audit_devices_named(a.details) AS devices, a.details ->> 'deviceId' AS device_id,
      -- Only IPv6, and parts with a leading zero, have another canonical form.
      CASE WHEN a.ip_address ~ ':|\m0\d' THEN host(audit_address(a.ip_address)) END AS address,
      concat_ws(E'\n', a.actor_email, a.resource_name, a.details::text) AS fields,
      audit_search_kind(a.action, a.resource_type, a.actor_type, a.result) AS kind,
      concat_ws(E'\n', a.ip_address, a.error_message) AS others
    FROM audit_logs a
    WHERE a.org_id = p_org AND a.chain_seq > p_after AND a.chain_seq <= p_through
    OFFSET 0),
  weighed AS (
    SELECT l.*, l.fields || E'\x1d' || l.others AS line,
      (sum(least(greatest(octet_length(l.fields) + octet_length(l.others) + 1, 512), 4096))
        OVER (ORDER BY l.chain_seq ROWS UNBOUNDED PRECEDING) - 1) / 4096 AS block
    FROM lines l
    OFFSET 0),
  tagged AS (
    SELECT w.*, ARRAY[
        audit_search_tag('action:' || action), audit_search_tag('email:' || actor_email),
        audit_search_tag('result:' || result), audit_search_tag('type:' || actor_type),
        audit_search_tag('actor:' || actor_id), audit_search_tag('actor:' || raw_actor),
        audit_search_tag('resource:' || resource_id), audit_search_tag('resource:' || lower(device_id)),
        audit_search_tag('kind:' || resource_type), audit_search_tag('ip:' || ip_address),
        audit_search_tag('net:' || substring(ip_address FROM '^[^.:]*[.:][^.:]*[.:]')),
        audit_search_tag('net:' || substring(address FROM '^[^.:]*[.:][^.:]*[.:]')),
        audit_search_tag('device:' || device), audit_search_tag('device:' || devices[1]),
        audit_search_tag('device:' || devices[2]), audit_search_tag('device:' || devices[3]),
        audit_search_tag('device:' || devices[4]), audit_search_tag('device:' || devices[5])] AS tags
    FROM weighed w),
  blocks AS (
    SELECT block, min(chain_seq) AS first_seq, max(chain_seq) AS last_seq, count(*) AS rows,
      min("timestamp") AS min_at, max("timestamp") AS max_at,
      array_agg(tags) AS tags, string_agg(line, E'\x1e' ORDER BY chain_seq) AS text,
      string_agg(kind, E'\x1e' ORDER BY chain_seq) AS kinds
    FROM tagged
    GROUP BY block
    OFFSET 0),
  judged AS (
    SELECT b.*,
      -- One separator of a line's parts and three of a kind's, one between rows: more are the rows' own.
      octet_length(text) <> char_length(text)
        OR octet_length(text) - octet_length(translate(text, E'\x1d\x1e\x1f', '')) <> 2 * rows - 1
        OR char_length(kinds) - char_length(translate(kinds, E'\x1d\x1e', '')) <> 4 * rows - 1 AS rough
    FROM blocks b
    OFFSET 0),
  stored AS (
    INSERT INTO audit_search (org_id, first_seq, last_seq, min_at, max_at, rough, tags, kinds, text)
    SELECT p_org, first_seq, last_seq, min_at, max_at, rough,
      ARRAY(SELECT DISTINCT t FROM unnest(tags) AS t WHERE t IS NOT NULL), kinds,
      CASE WHEN rough THEN audit_search_text(text) ELSE lower(text) END
    FROM judged
    WHERE p_all OR block < (SELECT max(block) FROM judged)
    RETURNING last_seq)
  SELECT max(last_seq) FROM stored
$$;
