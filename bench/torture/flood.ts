import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { itemAt } from "@/server/ground/records";
import { sessionCookie } from "@/server/identity/auth/session-cookie";
import type { Server } from "@/testing/server";
import { workBetween, workOf } from "./work";

/** Who asks what, over plain connections: a client that is cheap itself, and that can hang up on all it asked for. */

export type Caller = { base: string; orgId: string; token: string };
export type Verb = {
  name: string;
  method: string;
  path: (caller: Caller) => string;
  body?: (caller: Caller) => object;
  /** As a browser asks for a page: the token in the session's cookie. */
  viaCookie?: true;
  /** Asked by no particular caller. */
  isOpen?: true;
};

function credential({ viaCookie, isOpen }: Verb, { token }: Caller): Record<string, string> {
  if (isOpen) return {};
  return viaCookie ? { Cookie: `${sessionCookie(false)}=${token}` } : { Authorization: `Bearer ${token}` };
}
/** Status 0: cut, or not answered within the patience. */
type Answered = { status: number; ms: number };

/** A refused caller comes back at once, as an attacker would, but not before the event loop turned. */
const COME_BACK_MS = 25;

type Asking = { verb: Verb; caller: Caller; agent: Agent; timeoutMs: number };

function ask({ verb, caller, agent, timeoutMs }: Asking): Promise<Answered> {
  const { method, path, body } = verb;
  const started = performance.now();
  return new Promise((resolve) => {
    const done = (status: number) => {
      clearTimeout(timeout);
      resolve({ status, ms: performance.now() - started });
    };
    const headers = { ...credential(verb, caller), "Content-Type": "application/json" };
    const outgoing = request(caller.base + path(caller), { method, headers, agent }, (answer) => {
      answer.once("close", () => done(answer.complete ? (answer.statusCode ?? 0) : 0)).resume();
    });
    const timeout = setTimeout(() => outgoing.destroy(), timeoutMs);
    outgoing.once("error", () => done(0)).end(body && JSON.stringify(body(caller)));
  });
}

/** callers: the one who asks, or as many as there are requests in flight. */
export type Flood = { verb: Verb; callers: readonly Caller[]; atOnce: number; ms: number; timeoutMs: number };

/**
 * So many in flight until the time is over and one of them was refused (a slow machine takes its time for that, so they
 * are all asked a second time before it is given up; many callers are not waited for), then all of them hung up on; how
 * many were answered with which status.
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

/** p95 of the times (ms), and of what the product worked in that time for all its callers together (ms). */
export type Waited = { p95: number; work: number; refused: number; asked: number };
export type Bystander = { server: Server; caller: Caller; everyday: Verb[]; timeoutMs: number };

const p95Of = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? 0;

/** A caller that continues its everyday requests, one after the other; `end` says how long they took. */
export function bystander({ server, caller, everyday, timeoutMs }: Bystander): { end: () => Promise<Waited> } {
  const agent = new Agent({ keepAlive: true });
  const [times, works]: [number[], number[]] = [[], []];
  let refused = 0;
  let stop = false;
  const running = (async () => {
    for (let i = 0; !stop; i++) {
      const worked = workOf(server);
      const { status, ms } = await ask({ verb: itemAt(everyday, i), caller, agent, timeoutMs });
      times.push(ms);
      works.push(workBetween(worked, workOf(server)));
      if (status !== 200 && status !== 202) refused++;
      await sleep(10);
    }
  })();
  return {
    end: async () => {
      stop = true;
      await running;
      agent.destroy();
      return { p95: p95Of(times), work: p95Of(works), refused, asked: times.length };
    },
  };
}
