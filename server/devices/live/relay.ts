import { randomUUID } from "node:crypto";
import { sharedRuns } from "@/server/ground/background/background-loop";
import { wakeWatchers } from "@/server/ground/background/streams";
import { AppError, tooMany } from "@/server/ground/errors";
import { isUuid } from "@/server/ground/ids";
import { log } from "@/server/ground/log";
import { type Bus, createBus, type News } from "./bus";
import { disconnected, PendingQueries } from "./pending-queries";
import {
  type CommandResult,
  commandResult,
  LIVE_QUERY_TIMEOUT_MS,
  MAX_COMMANDS_PER_AGENT,
  STREAM_COMMENT_MS,
} from "./schema";
import {
  beatStreams,
  type Closed,
  claimAnswer,
  claimDone,
  claimWaiting,
  closeDeadStreams,
  dropCommands,
  listedStreams,
  listStream,
  queueCommand,
  storeAnswer,
  unlistStream,
  type Waiting,
} from "./store";

export type AgentOnStream = { agentId: string; orgId: string; deviceId: string };
/** Open end of a stream. send never throws; end closes it for good. */
export type Peer = { send(command: string): void; end(): void };
export type AgentQuery = {
  agentId: string;
  name: string;
  params: object;
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
};

/** Notifications between processes may be lost, so the table is polled too. */
const POLL_MS = 5_000;
const LISTEN_TIMEOUT_MS = 2_000;

const offline = () => new AppError("device_offline", "The device has no connected agent.");
const busy = () =>
  tooMany("Too many live queries of this device are in flight.", { limit: MAX_COMMANDS_PER_AGENT, seconds: 1 });

/** Reads a table, one read at a time. Failures are logged; the next poll retries. */
const lookUp = (work: () => Promise<void>): (() => Promise<void>) =>
  sharedRuns(() => work().catch((error) => log.warn({ err: error }, "the relay could not reach the database")));

/**
 * Routes queries to agents and answers back, whichever processes the requester, the stream and the answer arrive at.
 * The tables are authoritative, the bus only wakes. One per process.
 */
export class Relay {
  readonly id = randomUUID();
  readonly #streams = new Map<string, { agentId: string; peer: Peer; listed: boolean }>();
  readonly #queries = new PendingQueries();
  readonly #work = new Set<Promise<unknown>>();
  readonly #handlers: Record<News, () => Promise<void>>;
  #started: Promise<void> | undefined;
  #timers: NodeJS.Timeout[] = [];

  constructor(readonly bus: Bus) {
    this.#handlers = {
      commands: lookUp(() => this.#deliverWaiting()),
      answers: lookUp(() => this.#collectDone()),
      streams: lookUp(() => this.#endUnlisted()),
      callers: async () => wakeWatchers(),
    };
  }

  /** Figures for tests and metrics. */
  get stats(): { streams: number; queries: number } {
    return { streams: this.#streams.size, queries: this.#queries.size };
  }

  /** Registers the agent's only stream. @returns a function to call when the peer is gone. */
  async open(agent: AgentOnStream, peer: Peer): Promise<() => void> {
    await this.#start();
    const streamId = randomUUID();
    const stream = { agentId: agent.agentId, peer, listed: false };
    this.#streams.set(streamId, stream);
    try {
      const { replaced, requesters } = await listStream({ ...agent, streamId, processId: this.id });
      stream.listed = true;
      if (replaced?.processId === this.id) this.#end(replaced.streamId);
      else if (replaced) this.#notify(replaced.processId, "streams");
      for (const requester of requesters) this.#notify(requester, "answers");
    } catch (error) {
      this.#streams.delete(streamId);
      throw error;
    }
    return () => this.#gone(streamId);
  }

  /** Ends a stream in any process after its agent's token was replaced or revoked. A lost message costs a beat. */
  notifyClosed({ processIds, requesters }: Closed): void {
    const notify = () => {
      for (const processId of processIds) this.#notify(processId, "streams");
      for (const requester of requesters) this.#notify(requester, "answers");
    };
    this.#later(this.#start().then(notify));
  }

  /** Makes every process check its callers again: a user's access has changed. */
  notifyCallersChanged(): void {
    this.#later(this.#start().then(() => this.bus.notifyAll("callers")));
  }

  /** Resolves when this process is listening, or soon if it cannot. */
  listen(): Promise<void> {
    return this.#start();
  }

  /**
   * Sends a command to an agent and waits for the answer.
   * @throws AppError device_offline, rate_limited, agent_disconnected, agent_timeout; unavailable when withdrawn.
   */
  async query({
    agentId,
    name,
    params,
    timeoutMs = LIVE_QUERY_TIMEOUT_MS,
    signal,
  }: AgentQuery): Promise<CommandResult> {
    await this.#start();
    const id = randomUUID();
    const answer = this.#queries.wait(id, {
      agentId,
      timeoutMs,
      signal,
      onFailed: () => this.#later(dropCommands([id])),
    });
    answer.catch(() => {}); // It may fail before it is awaited.
    const query = this.#queries.get(id);
    if (!query) return answer;
    const refuse = (error: AppError): Promise<CommandResult> => {
      query.reject(error);
      return answer;
    };
    const command = { id, agentId, requesterId: this.id, name, params: JSON.stringify(params), timeoutMs };
    const placed = await queueCommand(command).catch((error) => {
      query.reject(offline()); // Not seen by callers: the database's own error is thrown.
      throw error;
    });
    if (placed.kind !== "placed") return refuse(placed.kind === "offline" ? offline() : busy());
    if (!this.#queries.get(id)) this.#later(dropCommands([id])); // It failed while being queued.
    query.streamId = placed.streamId;
    if (placed.processId === this.id) this.#deliver({ ...command, ...placed });
    else this.#notify(placed.processId, "commands");
    return answer;
  }

  /**
   * Takes an agent's answer. @returns false when no requester waits for it: late, repeated, unknown, another agent's.
   */
  async settle(agentId: string, id: string, result: CommandResult): Promise<boolean> {
    if (!isUuid(id)) return false;
    await this.#start();
    const query = this.#queries.get(id);
    if (query) {
      if (!(await claimAnswer(agentId, id))) return false;
      query.resolve(result);
      return true;
    }
    const requester = await storeAnswer(agentId, id, JSON.stringify(result));
    if (requester === this.id) this.#later(dropCommands([id])); // Withdrawn a moment ago.
    if (requester === null || requester === this.id) return false;
    this.#notify(requester, "answers");
    return true;
  }

  /** Ends streams (agents reconnect elsewhere), queries and the bus, in this order. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    for (const [streamId, { peer }] of this.#streams) {
      this.#gone(streamId);
      peer.end();
    }
    this.#queries.failAll();
    while (this.#work.size > 0) await Promise.allSettled(this.#work);
    await this.#started?.catch(() => {});
    await this.bus.close();
  }

  #start(): Promise<void> {
    this.#started ??= (async () => {
      const handleAll = () => Object.values(this.#handlers).forEach((run) => void run());
      const listening = this.bus
        .listen(this.id, (news) => void this.#handlers[news](), handleAll)
        .catch((error) => log.error({ err: error }, "the relay cannot hear other processes; it polls"));
      this.#timers = [setInterval(() => this.#poll(), POLL_MS), setInterval(() => this.#beat(), STREAM_COMMENT_MS)];
      for (const timer of this.#timers) timer.unref();
      // A caller must not wait for an unavailable bus: polling replaces it.
      await Promise.race([listening, new Promise((resolve) => setTimeout(resolve, LISTEN_TIMEOUT_MS).unref())]);
    })();
    return this.#started;
  }

  #poll(): void {
    if (this.#streams.size > 0) void this.#handlers.commands();
    if (this.#queries.size > 0) void this.#handlers.answers();
  }

  #beat(): void {
    const alive = [...this.#streams].filter(([, stream]) => stream.listed).map(([streamId]) => streamId);
    const beating = async () => {
      await beatStreams(this.id, alive);
      await this.#handlers.streams();
      for (const requester of await closeDeadStreams()) this.#notify(requester, "answers");
    };
    this.#later(beating());
  }

  #notify(processId: string, news: News): void {
    this.#later(processId === this.id ? this.#handlers[news]() : this.bus.notify(processId, news));
  }

  /** Runs work that only stop() waits for. */
  #later(work: Promise<unknown>): void {
    const done = work
      .catch((error) => log.warn({ err: error }, "the relay could not finish a step; polling makes up for it"))
      .finally(() => this.#work.delete(done));
    this.#work.add(done);
  }

  #deliver({ id, agentId, streamId, name, params, deadline }: Waiting): void {
    const stream = this.#streams.get(streamId);
    if (stream) stream.peer.send(`{"id":"${id}","name":"${name}","params":${params},"deadline":"${deadline}"}`);
    else {
      this.#queries.get(id)?.reject(offline()); // It never reached the agent.
      this.#later(this.#unlist(agentId, streamId));
    }
  }

  async #deliverWaiting(): Promise<void> {
    for (const command of await claimWaiting(this.id)) this.#deliver(command);
  }

  async #collectDone(): Promise<void> {
    for (;;) {
      const done = await claimDone(this.id);
      for (const { id, state, result } of done) {
        const query = this.#queries.get(id);
        if (state === "answered" && result !== null) query?.resolve(commandResult.parse(JSON.parse(result)));
        else query?.reject(disconnected());
      }
      if (done.length === 0) return;
    }
  }

  /** Ends streams replaced by newer ones elsewhere, and those of revoked agents. */
  async #endUnlisted(): Promise<void> {
    const mine = [...this.#streams].filter(([, stream]) => stream.listed).map(([streamId]) => streamId);
    if (mine.length === 0) return;
    const listed = await listedStreams(this.id);
    for (const streamId of mine) if (!listed.has(streamId)) this.#end(streamId);
  }

  #end(streamId: string): void {
    const stream = this.#streams.get(streamId);
    this.#gone(streamId);
    stream?.peer.end();
  }

  #gone(streamId: string): void {
    const stream = this.#streams.get(streamId);
    if (!stream) return;
    this.#streams.delete(streamId);
    this.#queries.failStream(streamId);
    this.#later(this.#unlist(stream.agentId, streamId));
  }

  async #unlist(agentId: string, streamId: string): Promise<void> {
    for (const requester of await unlistStream(agentId, streamId)) this.#notify(requester, "answers");
  }
}

let current: Relay | undefined;

/** Relay of this process, created on first use. */
export function relay(): Relay {
  current ??= new Relay(createBus());
  return current;
}

/** Stops the relay at shutdown, before the database is closed. */
export async function stopRelay(): Promise<void> {
  await current?.stop();
}
