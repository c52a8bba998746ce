import type postgres from "postgres";
import { SEED } from "@/testing/world/cast";

/** Mix of an organization's history; weights are per mille. */
const MIX: { action: string; weight: number; actor: "agent" | "user" | "system" | "api_key"; resource: string }[] = [
  { action: "agent.eventlogs.submit", weight: 380, actor: "agent", resource: "device" },
  { action: "user.login", weight: 120, actor: "user", resource: "user" },
  { action: "user.login.failed", weight: 20, actor: "user", resource: "user" },
  { action: "user.logout", weight: 60, actor: "user", resource: "user" },
  { action: "script.execute", weight: 90, actor: "user", resource: "script" },
  { action: "device.update", weight: 85, actor: "user", resource: "device" },
  { action: "policy.evaluate", weight: 60, actor: "system", resource: "policy" },
  { action: "automation.policy.evaluate", weight: 30, actor: "system", resource: "policy" },
  { action: "alert.create", weight: 45, actor: "system", resource: "alert" },
  { action: "alert.acknowledge", weight: 25, actor: "user", resource: "alert" },
  { action: "alert.resolve", weight: 25, actor: "user", resource: "alert" },
  { action: "data.access", weight: 25, actor: "api_key", resource: "report" },
  { action: "data.export", weight: 5, actor: "user", resource: "report" },
  { action: "device.create", weight: 5, actor: "agent", resource: "device" },
  { action: "device.delete", weight: 2, actor: "user", resource: "device" },
  { action: "policy.update", weight: 8, actor: "user", resource: "policy" },
  { action: "policy.create", weight: 2, actor: "user", resource: "policy" },
  { action: "agent.source.ip.changed", weight: 8, actor: "agent", resource: "device" },
  { action: "user.permission.change", weight: 3, actor: "user", resource: "user" },
  { action: "organization.update", weight: 2, actor: "user", resource: "organization" },
];
const DECK = MIX.flatMap((entry) => Array.from({ length: entry.weight }, () => entry));
const ROWS_PER_CALL = 500;

/** The time over which rows are spread in chain order, one in fifty up to an hour late. */
export type Span = { from: Date; to: Date };
const YEAR: Span = { from: new Date(Date.UTC(2025, 10, 1)), to: new Date(Date.UTC(2026, 10, 1)) };

/** `start`: number of the first row, to continue an earlier fill. */
type Filling = { orgId: string; rows: number; start?: number; span?: Span };

const PEOPLE = 60;
const DEVICES = 400;

/** A bigint in [0, n) determined by row number, seed and salt. */
const draw = (salt: number, n: number): string => `(abs(hashint8extended(n, $2::int8 * 1000 + ${salt})) % ${n})`;
/** A UUID determined by kind and number, so that actors recur. */
const uuidOf = (kind: string, number: string): string => `md5('${kind}' || $1::text || (${number})::text)::uuid`;

/** SELECT that generates rows $3..$4 in the database and appends them to the chain. */
function appendSql(): string {
  const person = draw(2, PEOPLE);
  const device = draw(3, DEVICES);
  const host = `'WS-' || lpad((${device})::text, 5, '0')`;
  return `
WITH deck AS MATERIALIZED (SELECT $5::text[] AS actions, $6::text[] AS actors, $7::text[] AS resources),
drawn AS (
  SELECT n, md5($1::text || $2::text || n::text) AS h, ${draw(1, 1000)}::int + 1 AS card,
    $8::timestamptz + ($9::timestamptz - $8::timestamptz) * (n::float8 / $10::float8)
      - CASE WHEN ${draw(4, 50)} = 0 THEN make_interval(secs => ${draw(5, 3600)}) ELSE interval '0' END AS at
  FROM generate_series($3::int8, $4::int8) AS n),
typed AS (
  SELECT d.*, deck.actions[card] AS action, deck.actors[card] AS actor, deck.resources[card] AS resource, ${person} AS person, ${device} AS device
  FROM drawn d, deck),
made AS (
  SELECT n, at,
    (left(lpad(to_hex((extract(epoch FROM at) * 1000)::int8), 12, '0'), 12) || '7' || substr(h, 1, 3) || '8' || substr(h, 4, 15))::uuid AS id,
    actor AS actor_type,
    CASE actor WHEN 'user' THEN ${uuidOf("person", person)} WHEN 'agent' THEN ${uuidOf("agent", device)} WHEN 'api_key' THEN ${uuidOf("key", "person % 5")}
      ELSE '00000000-0000-0000-0000-000000000000'::uuid END AS actor_id,
    CASE actor WHEN 'user' THEN 'person' || person || '@customer' || person % 7 || '.example' END AS actor_email,
    action, resource,
    CASE resource WHEN 'user' THEN ${uuidOf("person", person)} WHEN 'device' THEN ${uuidOf("device", device)} ELSE ${uuidOf("thing", draw(6, 300))} END AS resource_id,
    CASE resource WHEN 'user' THEN 'Person ' || person WHEN 'device' THEN ${host} WHEN 'script' THEN 'Maintenance script ' || ${draw(6, 300)}
      WHEN 'policy' THEN 'Baseline ' || ${draw(6, 300)} % 40 WHEN 'alert' THEN 'Disk space on ' || ${host} ELSE 'Quarterly ' || ${draw(6, 300)} END AS resource_name,
    CASE action
      WHEN 'agent.eventlogs.submit' THEN format('{"count": %s, "duplicates": %s, "agentVersion": "2.%s.%s"}', ${draw(7, 500)}, ${draw(8, 20)}, ${draw(9, 9)}, ${draw(10, 30)})
      WHEN 'script.execute' THEN format('{"exitCode": %s, "durationMs": %s, "runAs": "system", "hostname": "%s", "executionId": "%s", "parameters": {"retain": %s}}',
        ${draw(7, 3)}, ${draw(8, 90000)}, ${host}, md5(h)::uuid, ${draw(9, 90)})
      WHEN 'device.update' THEN format('{"before": {"osVersion": "10.0.%s", "lastUser": "CUSTOMER\\\\user%s", "freeGb": %s}, "after": {"osVersion": "10.0.%s", "lastUser": "CUSTOMER\\\\user%s", "freeGb": %s}}',
        ${draw(7, 30000)}, ${draw(8, 900)}, ${draw(9, 400)}, ${draw(10, 30000)}, ${draw(11, 900)}, ${draw(12, 400)})
      WHEN 'policy.evaluate' THEN format('{"compliant": %s, "rules": %s, "failed": [%s, %s], "hostname": "%s"}', CASE WHEN ${draw(7, 4)} = 0 THEN 'false' ELSE 'true' END, ${draw(8, 60)}, ${draw(9, 60)}, ${draw(10, 60)}, ${host})
      WHEN 'automation.policy.evaluate' THEN format('{"trigger": "schedule", "matched": %s, "hostname": "%s"}', ${draw(8, 60)}, ${host})
      WHEN 'agent.source.ip.changed' THEN format('{"before": "10.%s.%s.7", "after": "10.%s.%s.9"}', ${draw(7, 250)}, ${draw(8, 250)}, ${draw(9, 250)}, ${draw(10, 250)})
      WHEN 'data.access' THEN format('{"dataset": "inventory", "rows": %s, "requestId": "%s"}', ${draw(7, 9000)}, md5(h)::uuid)
      WHEN 'user.login.failed' THEN '{"reason": "wrong password"}'
      WHEN 'user.login' THEN format('{"sessionId": "s_%s", "method": "password"}', substr(h, 1, 16))
      ELSE format('{"note": "change %s of work order %s", "source": "dashboard"}', ${draw(7, 90)}, ${draw(8, 90000)})
    END AS details,
    CASE WHEN ${draw(13, 100)} = 0 THEN format('10.0.%s.%s', ${draw(14, 200)}, ${draw(15, 250)})
      WHEN actor = 'user' THEN format('10.1.%s.7', person % 250) ELSE format('10.2.%s.%s', device / 250, device % 250) END AS ip,
    CASE actor WHEN 'user' THEN 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/' || 120 + ${draw(16, 9)} || '.0.0.0 Safari/537.36'
      WHEN 'agent' THEN 'trailmark-agent/2.' || ${draw(16, 9)} WHEN 'api_key' THEN 'python-requests/2.32' END AS user_agent,
    CASE WHEN action = 'user.login.failed' THEN 'failure' WHEN ${draw(17, 1000)} < 30 THEN 'failure' WHEN ${draw(17, 1000)} < 35 THEN 'denied' ELSE 'success' END AS result
  FROM typed)
SELECT audit_append(array_agg(id ORDER BY n), array_agg($1::uuid), array_agg(at::timestamptz(3) ORDER BY n), array_agg(actor_type ORDER BY n), array_agg(actor_id ORDER BY n),
  array_agg(actor_email ORDER BY n), array_agg(action ORDER BY n), array_agg(resource ORDER BY n), array_agg(resource_id ORDER BY n), array_agg(resource_name ORDER BY n),
  array_agg(details ORDER BY n), array_agg(ip ORDER BY n), array_agg(user_agent ORDER BY n), array_agg(result ORDER BY n),
  array_agg(CASE result WHEN 'failure' THEN 'The target did not answer' WHEN 'denied' THEN 'Permission missing' END ORDER BY n))
FROM made`;
}

/**
 * Fills one organization's chain with sealed, realistic rows, generated in the database from a seed: a repeated call
 * adds none.
 * @param sql the application role's connection
 */
export async function fillAudit(sql: postgres.Sql, { orgId, rows, start = 1, span = YEAR }: Filling): Promise<void> {
  const text = appendSql();
  const column = (name: "action" | "actor" | "resource") => DECK.map((card) => card[name]);
  const deck = [column("action"), column("actor"), column("resource")];
  const end = start + rows - 1;
  for (let at = start; at <= end; at += ROWS_PER_CALL) {
    const last = Math.min(end, at + ROWS_PER_CALL - 1);
    const times = [span.from.toISOString(), span.to.toISOString()];
    await sql.unsafe(text, [orgId, SEED, at, last, ...deck, ...times, end], { prepare: true });
  }
}
