import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { itemAt } from "@/server/ground/records";
import { type At, ask, type Credentials, createEvent } from "./api";

export type Acknowledged = {
  events: Set<string>;
  deviceEvents: Set<string>;
  logs: Set<string>;
  refused: number;
  answers: Map<number, number>;
  /** Called for each finished request: its writer, and its status or error. */
  onAnswer?: (writer: number, outcome: number | string) => void;
};

export const nothingYet = (): Acknowledged => ({
  events: new Set(),
  deviceEvents: new Set(),
  logs: new Set(),
  refused: 0,
  answers: new Map(),
});

const FIRST_ANSWER_MS = 30_000;
export const countOf = ({ events, deviceEvents, logs }: Acknowledged): number =>
  events.size + deviceEvents.size + logs.size;

/** Waits for a time and an acknowledgement: a kill before the first one would prove nothing. */
export async function underLoad(acked: Acknowledged, ms: number): Promise<void> {
  const before = countOf(acked);
  const began = Date.now();
  await sleep(ms);
  while (countOf(acked) === before && Date.now() - began < FIRST_ANSWER_MS) await sleep(5);
}

/** Statuses of the server's own making that no kill explains: 503 asks to come again. */
export const wrongAnswers = (answers: Iterable<[number, number]>): [number, number][] =>
  [...answers].filter(([status]) => status >= 500 && status !== 503);

export const tallied = (answers: Iterable<[number, number]>): string =>
  [...answers].map(([status, count]) => `${status} x${count}`).join(" ");

const EVENTS_PER_POST = 5;
/** The first event of each post is late. */
const LATE_MS = 60 * 60_000;

type Kind = {
  method: string;
  path: (credentials: Credentials) => string;
  token: "key" | "agentToken";
  /** The member of the body and of what is acknowledged. */
  member: string;
  acked: "events" | "deviceEvents" | "logs";
  create: (id: string, at: number) => object;
};
const now = () => ({ timestamp: new Date().toISOString(), level: "info" });

/** Audit events, and events and diagnostics of an agent. */
const KINDS: Kind[] = [
  {
    ...{ method: "POST", path: () => "/audit-logs/events", token: "key", member: "events", acked: "events" },
    create: (id, at) => ({
      ...createEvent({ details: { id } }),
      ...{ id, ...(at === 0 && { timestamp: new Date(Date.now() - LATE_MS).toISOString() }) },
    }),
  },
  {
    ...{ method: "PUT", path: ({ agentId }) => `/agents/${agentId}/eventlogs`, token: "agentToken" },
    ...{ member: "events", acked: "deviceEvents" },
    create: (eventId) => ({ ...now(), category: "system", source: "torture", eventId, message: "m" }),
  },
  {
    ...{ method: "POST", path: ({ agentId }) => `/agents/${agentId}/logs`, token: "agentToken" },
    ...{ member: "logs", acked: "logs" },
    create: (message) => ({ ...now(), component: "torture", message }),
  },
];

/** Reason that fetch failed: the socket's error code, or the abort. */
function reasonOf(error: unknown): string {
  const { name, cause }: { name?: unknown; cause?: { code?: unknown } } = Object(error);
  return String(cause?.code ?? name);
}

/** The credentials that a load writes with, and what was acknowledged to it. */
type Load = { credentials: Credentials; acked: Acknowledged };

/** A writer: posts until stopped; counts only successes. */
async function writer({ base, credentials, acked, isStopped }: Load & At & { isStopped: () => boolean }, at: number) {
  for (let i = at; !isStopped(); i++) {
    const kind = itemAt(KINDS, i % KINDS.length);
    const ids = Array.from({ length: EVENTS_PER_POST }, () => randomUUID());
    try {
      const response = await ask({ base }, kind.path(credentials), {
        ...{ method: kind.method, token: credentials[kind.token], body: { [kind.member]: ids.map(kind.create) } },
        signal: AbortSignal.timeout(15_000),
      });
      acked.answers.set(response.status, (acked.answers.get(response.status) ?? 0) + 1);
      acked.onAnswer?.(at, response.status);
      if (response.ok) for (const id of ids) acked[kind.acked].add(id);
      else {
        acked.refused++;
        await sleep(20);
      }
      await response.arrayBuffer();
    } catch (error) {
      acked.onAnswer?.(at, reasonOf(error));
      acked.refused++; // The server is gone, and never acknowledged this one.
      await sleep(20);
    }
  }
}

/** Starts writers. @returns a function that stops them and waits for their last requests */
export function startLoad({ base }: At, { credentials, acked }: Load, writers: number): () => Promise<void> {
  let stop = false;
  const isStopped = () => stop;
  const running = Array.from({ length: writers }, (_, i) => writer({ base, credentials, acked, isStopped }, i));
  return async () => {
    stop = true;
    await Promise.all(running);
  };
}
