import { and, eq, isNull } from "drizzle-orm";
import { tenant } from "@/db/client";
import { agents, devices } from "@/db/schema/index";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { counter, histogram } from "@/server/ground/background/metrics";
import { callerChanges } from "@/server/ground/background/streams";
import type { Ctx } from "@/server/ground/context";
import { AppError, type ErrorCode, type FieldError, notFound } from "@/server/ground/errors";
import { log } from "@/server/ground/log";
import { admit } from "@/server/ground/operation";
import { inScope } from "@/server/ground/scope";
import { type Parsed, parseLogs, sanitize } from "./parse-answer";
import { relay } from "./relay";
import { BAD_ANSWER, type Descriptor, LIVE_QUERY_TIMEOUT_MS } from "./schema";

/** Checks access again, which may have ended during the query. @throws AppError the refusal of a new query */
async function requireAccess(ctx: Ctx, deviceId: string): Promise<void> {
  const now = await ctx.recheck?.();
  if (!now) return;
  admit(now, { permission: "devices:live" });
  await findTarget(now, deviceId);
}

/** Errors of a live query beyond those of every operation. */
export const LIVE_ERRORS: ErrorCode[] = ["device_offline", "agent_bad_response", "agent_disconnected", "agent_timeout"];

/** A device in the caller's reach and its agent; agentId is null without one. */
export type Target = { deviceId: string; orgId: string; hostname: string; agentId: string | null };
/** Sends one command to the device's agent. withinMs shortens the query's remaining time. */
export type QueryAgent = <T>(command: AgentCommand<T>, withinMs?: number) => Promise<T>;
type AgentCommand<T> = { name: string; params: object; what: string; parse: (data: unknown) => Parsed<T> };
/** Audit details of a query. */
type Query = { deviceId: string; kind: "logs" | "log" | "events" | "event"; details: Record<string, unknown> };

async function findTarget(ctx: Ctx, deviceId: string): Promise<Target> {
  const [row] = await tenant(ctx.scope, (tx) =>
    tx
      .select({ deviceId: devices.id, orgId: devices.orgId, hostname: devices.hostname, agentId: agents.id })
      .from(devices)
      .leftJoin(agents, and(eq(agents.deviceId, devices.id), isNull(agents.revokedAt)))
      .where(and(inScope(devices.orgId, ctx.scope), eq(devices.id, deviceId))),
  );
  if (!row) throw notFound("device");
  return row;
}

type Recipient = { agentId: string; timeoutMs: number };

const unexpected = (errors: FieldError[]) =>
  new AppError("agent_bad_response", "The agent's answer does not have the expected format.", { errors });

/** Returns the agent's validated answer; its messages reach the caller as one clean line at most. */
async function sendQuery<T>(ctx: Ctx, command: AgentCommand<T>, { agentId, timeoutMs }: Recipient): Promise<T> {
  const { name, params } = command;
  const result = await relay().query({ agentId, name, params, timeoutMs, signal: ctx.signal });
  if (!result.ok) {
    const { code, message, errors } = result.error;
    if (code === BAD_ANSWER && errors) throw unexpected(errors);
    if (code === "not_found") throw notFound(command.what);
    log.warn({ agentId, command: name, code: sanitize(code), reason: sanitize(message) }, "agent refused a live query");
    const reason = sanitize(message);
    throw new AppError("agent_bad_response", reason ? `The agent reported: ${reason}` : undefined);
  }
  const parsed = command.parse(result.data);
  if (parsed.ok) return parsed.value;
  log.warn(
    { agentId, command: name, issues: parsed.issues, requestId: ctx.requestId },
    "failed to parse agent response",
  );
  throw unexpected(parsed.issues);
}

const queries = counter("trailmark_live_queries_total", "Live queries of devices by outcome", ["outcome"]);
const queryTime = histogram("trailmark_live_query_seconds", "Time to the end of a live query");

type Outcome = { target: Target; query: Query; started: number; error?: unknown };

function audit(ctx: Ctx, { target, query, started, error }: Outcome): void {
  const failed = error !== undefined;
  const outcome = !failed
    ? "success"
    : ctx.signal?.aborted
      ? "cancelled"
      : error instanceof AppError
        ? error.code
        : "internal";
  const took = performance.now() - started;
  queries.inc({ outcome });
  queryTime.observe(took / 1000);
  record(ctx, {
    action: "device.eventlogs.live_query",
    orgId: target.orgId,
    ...resourceOf("device", { id: target.deviceId, name: target.hostname }),
    details: { query: query.kind, ...query.details, outcome, durationMs: Math.round(took) },
    result: failed ? "failure" : "success",
    errorMessage: failed ? (error instanceof AppError ? error.message : "unexpected error") : null,
  });
}

/**
 * Runs one live query on a device, within 30 seconds for all of its commands, and audits the outcome.
 * @throws AppError not_found, device_offline, rate_limited, agent_disconnected, agent_timeout, agent_bad_response.
 */
export async function queryDevice<T>(
  ctx: Ctx,
  query: Query,
  run: (queryAgent: QueryAgent, target: Target & { agentId: string }) => Promise<T>,
): Promise<T> {
  const started = performance.now();
  const changes = callerChanges();
  const target = await findTarget(ctx, query.deviceId);
  try {
    const { agentId } = target;
    if (!agentId) throw new AppError("device_offline", "The device has no agent.");
    const left = () => LIVE_QUERY_TIMEOUT_MS - (performance.now() - started);
    const queryAgent: QueryAgent = (command, withinMs = LIVE_QUERY_TIMEOUT_MS) =>
      sendQuery(ctx, command, { agentId, timeoutMs: Math.max(1, Math.min(withinMs, left())) });
    const answer = await run(queryAgent, { ...target, agentId });
    if (callerChanges() !== changes) await requireAccess(ctx, query.deviceId);
    audit(ctx, { target, query, started });
    return answer;
  } catch (error) {
    audit(ctx, { target, query, started, error });
    throw error;
  }
}

/** Log names rarely change; caching for a minute spares most queries an extra command. */
const NAMES_KEPT_MS = 60_000;
const MAX_AGENTS_KEPT = 1_000;
/** Limits the extra command, so that it does not use up the query's time. */
const DETOUR_MS = 3_000;

type Known = { names: string[]; until: number };
const cache = new Map<string, Known>();

function remember(agentId: string, names: string[]): void {
  cache.delete(agentId);
  cache.set(agentId, { names, until: Date.now() + NAMES_KEPT_MS });
  const [oldest = ""] = cache.keys();
  if (cache.size > MAX_AGENTS_KEPT) cache.delete(oldest);
}

/** The name as given if the device has such a log, else the one that differs only in case. */
export function matchName(names: readonly string[], wanted: string): string | undefined {
  return names.includes(wanted) ? wanted : names.find((name) => name.toLowerCase() === wanted.toLowerCase());
}

/** The device's logs, queried now. */
export async function queryLogs(queryAgent: QueryAgent, agentId: string, withinMs?: number): Promise<Descriptor[]> {
  const logs = await queryAgent({ name: "eventlogs.list", params: {}, what: "event log", parse: parseLogs }, withinMs);
  remember(
    agentId,
    logs.map((log) => log.name),
  );
  return logs;
}

const isNotFound = (error: unknown): boolean => error instanceof AppError && error.code === "not_found";

/**
 * Runs fn with a log's exact name. If the device's names are unknown, tries the name as given; only if the agent finds
 * none, lists the names and retries with one that differs in case.
 */
export async function withLogName<T>(
  queryAgent: QueryAgent,
  { agentId, name: wanted }: { agentId: string; name: string },
  fn: (name: string) => Promise<T>,
): Promise<T> {
  const known = cache.get(agentId);
  const fresh = known && known.until > Date.now() ? known.names : undefined;
  const first = (fresh && matchName(fresh, wanted)) ?? wanted;
  try {
    return await fn(first);
  } catch (error) {
    if (!isNotFound(error) || fresh) throw error;
    const logs = await queryLogs(queryAgent, agentId, DETOUR_MS).catch(() => []);
    const name = matchName(
      logs.map((log) => log.name),
      wanted,
    );
    if (name === undefined || name === first) throw error;
    return fn(name);
  }
}
