import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { itemAt } from "@/server/ground/records";
import { type At, ask, type Credentials, createEvent } from "./api";

/** Ids that the server acknowledged, by kind. */
export type Acknowledged = { events: Set<string>; deviceEvents: Set<string>; logs: Set<string> };

export const nothingYet = (): Acknowledged => ({ events: new Set(), deviceEvents: new Set(), logs: new Set() });

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
  acked: keyof Acknowledged;
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

const FIRST_ANSWER_MS = 30_000;

/** Writers that post until they are stopped, and all that was acknowledged to them. */
export class Load {
  readonly acked = nothingYet();
  readonly answers = new Map<number, number>();
  refused = 0;
  /** Called for each finished request: its writer, and its status or error. */
  onAnswer: (writer: number, outcome: number | string) => void = () => {};
  #isStopped = false;
  #running: Promise<void>[] = [];

  constructor(
    readonly at: At,
    readonly credentials: Credentials,
    readonly writers: number,
  ) {}

  get count(): number {
    return this.acked.events.size + this.acked.deviceEvents.size + this.acked.logs.size;
  }

  start(): void {
    this.#isStopped = false;
    this.#running = Array.from({ length: this.writers }, (_, at) => this.#write(at));
  }

  /** Ends with the last answers. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#running);
  }

  /** Writes for as long as the work takes. */
  async during(work: () => Promise<unknown>): Promise<void> {
    this.start();
    await work().finally(() => this.stop());
  }

  /** Waits for a time and an acknowledgement: a kill before the first one would prove nothing. */
  async acknowledged(ms: number): Promise<void> {
    const [before, began] = [this.count, Date.now()];
    await sleep(ms);
    while (this.count === before && Date.now() - began < FIRST_ANSWER_MS) await sleep(5);
  }

  async #write(writer: number): Promise<void> {
    for (let i = writer; !this.#isStopped; i++) {
      const kind = itemAt(KINDS, i % KINDS.length);
      const ids = Array.from({ length: EVENTS_PER_POST }, () => randomUUID());
      const isTaken = await this.#post(writer, kind, ids);
      if (isTaken) for (const id of ids) this.acked[kind.acked].add(id);
      else {
        this.refused++;
        await sleep(20);
      }
    }
  }

  /** @returns whether it was acknowledged; not by a server that is gone */
  async #post(writer: number, kind: Kind, ids: string[]): Promise<boolean> {
    try {
      const response = await ask(this.at, kind.path(this.credentials), {
        ...{ method: kind.method, token: this.credentials[kind.token], body: { [kind.member]: ids.map(kind.create) } },
        signal: AbortSignal.timeout(15_000),
      });
      this.answers.set(response.status, (this.answers.get(response.status) ?? 0) + 1);
      this.onAnswer(writer, response.status);
      // The head is the acknowledgement.
      await response.arrayBuffer().catch(() => {});
      return response.ok;
    } catch (error) {
      this.onAnswer(writer, reasonOf(error));
      return false;
    }
  }
}
