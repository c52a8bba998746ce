import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { percentile } from "@/bench/harness";
import { repeatedly } from "@/bench/until";
import { itemAt } from "@/server/ground/records";
import { sessionCookie } from "@/server/identity/auth/session-cookie";
import { type Answered, send } from "./request";

/** Requests over plain connections: a client that is cheap itself, and that can hang up on all it asked for. */

export type Caller = { base: string; orgId: string; token: string };
export type Verb = {
  name: string;
  path: (caller: Caller) => string;
  /** With one it is a POST. */
  body?: (caller: Caller) => object;
  /** Like a browser: token in the session's cookie. */
  viaCookie?: true;
  /** Without a caller. */
  isOpen?: true;
};

function credential({ viaCookie, isOpen }: Verb, { token }: Caller): Record<string, string> {
  if (isOpen) return {};
  return viaCookie ? { Cookie: `${sessionCookie(false)}=${token}` } : { Authorization: `Bearer ${token}` };
}

/** A refused caller retries at once, like an attacker, after a turn of the event loop. */
const COME_BACK_MS = 25;

type Asking = { verb: Verb; caller: Caller; agent: Agent; timeoutMs: number };

function ask({ verb, caller, ...sent }: Asking): Promise<Answered> {
  const headers = { ...credential(verb, caller), "Content-Type": "application/json" };
  const body = verb.body && JSON.stringify(verb.body(caller));
  return send(caller.base + verb.path(caller), { headers, ...sent, ...(body && { body }) });
}

/** callers: one, or as many as requests in flight. */
export type Flood = { verb: Verb; callers: readonly Caller[]; atOnce: number; ms: number; timeoutMs: number };

/**
 * Keeps requests in flight until the time is over and one was refused (retried once on slow machines; not with many
 * callers), then hangs up on all. @returns counts by status
 */
export async function flood({ verb, callers, atOnce, ms, timeoutMs }: Flood): Promise<Map<number, number>> {
  const answers = new Map<number, number>();
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  let isOver = false;
  const one = async (_: unknown, at: number) => {
    while (!isOver) {
      const { status } = await ask({ verb, caller: itemAt(callers, at), agent, timeoutMs });
      if (!isOver) answers.set(status, (answers.get(status) ?? 0) + 1);
      if (status !== 200) await sleep(COME_BACK_MS);
    }
  };
  const all = Promise.all(Array.from({ length: atOnce }, one));
  const began = performance.now();
  for (
    let gone = 0;
    gone < ms || (callers.length === 1 && gone < 2 * timeoutMs && !answers.has(429));
    gone = performance.now() - began
  )
    await sleep(COME_BACK_MS);
  isOver = true;
  agent.destroy();
  await all;
  return answers;
}

/** p95 of the times (ms). */
export type Waited = { p95: number; refused: number; asked: number };
export type Bystander = { caller: Caller; everyday: Verb[]; timeoutMs: number };

/** A caller that continues its everyday requests, one after the other; the answer ends it with how long they took. */
export function bystander({ caller, everyday, timeoutMs }: Bystander): () => Promise<Waited> {
  const agent = new Agent({ keepAlive: true });
  const times: number[] = [];
  let refused = 0;
  const stop = repeatedly(async (n) => {
    const { status, ms } = await ask({ verb: itemAt(everyday, n), caller, agent, timeoutMs });
    times.push(ms);
    if (status !== 200 && status !== 202) refused++;
  }, 10);
  return async () => {
    await stop();
    agent.destroy();
    return { p95: percentile(times, 0.95), refused, asked: times.length };
  };
}
