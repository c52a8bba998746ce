import { AppError } from "@/server/ground/errors";
import { parseLogs } from "./parse-answer";
import type { QueryAgent } from "./query-device";
import type { Descriptor } from "./schema";

/** Logs seldom come and go; a minute spares most queries the detour. */
const NAMES_KEPT_MS = 60_000;
const MAX_AGENTS_KEPT = 1_000;
/** The detour over the list is a courtesy and must not eat the query's time. */
const DETOUR_MS = 3_000;

type Known = { names: string[]; until: number };
const cache = new Map<string, Known>();

function remember(agentId: string, names: string[]): void {
  cache.delete(agentId);
  cache.set(agentId, { names, until: Date.now() + NAMES_KEPT_MS });
  const [oldest = ""] = cache.keys();
  if (cache.size > MAX_AGENTS_KEPT) cache.delete(oldest);
}

/** As written where the device has such a log, else the one that differs in case alone. */
export function matchName(names: readonly string[], wanted: string): string | undefined {
  return names.includes(wanted) ? wanted : names.find((name) => name.toLowerCase() === wanted.toLowerCase());
}

/** The device's logs, asked of its agent now. */
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
 * Runs fn with a log's true name. When the device's names are not known the name goes as it was given; only when the
 * agent finds none is its list asked and, if a name differs in case alone, fn run again.
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
