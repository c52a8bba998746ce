import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { linkedTo } from "@/agent/abort";
import { chunksUntil } from "@/agent/body";
import { backoffMs, Client, retryAfterMs } from "@/agent/client";
import type { Diagnostics } from "@/agent/diagnostics";
import { messageOf } from "@/agent/message-of";
import type { LiveLogs } from "@/agent/providers/provider";
import { LIVE_QUERY_TIMEOUT_MS, STREAM_COMMENT_MS } from "@/server/devices/live/schema";
import { answer } from "./answer";

/** Longer than any command: a server that sends this much without ending an event is not Trailmark. */
const MAX_EVENT_CHARACTERS = 1024 * 1024;

/** Reads an event stream. onActivity is called for every chunk, including comments. @throws when the stream breaks. */
export async function* readEvents(
  body: AsyncIterable<Uint8Array>,
  onActivity: () => void,
): AsyncGenerator<EventSourceMessage> {
  const decoder = new TextDecoder();
  const events: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => events.push(event), maxBufferSize: MAX_EVENT_CHARACTERS });
  for await (const chunk of body) {
    onActivity();
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* events.splice(0);
  }
}

/**
 * Runs tasks in order, a limited number at once, on the next free worker.
 * @returns a function to add a task, which handles its own errors
 */
function workQueue(workers: number): (task: () => Promise<void>) => void {
  const waiting: (() => Promise<void>)[] = [];
  let free = workers;
  const work = async () => {
    for (let task = waiting.shift(); task; task = waiting.shift()) await task();
    free++;
  };
  return (task) => {
    waiting.push(task);
    if (free === 0) return;
    free--;
    void work();
  };
}

/** Two comments missed: the connection is dead even without an end. */
const SILENCE_MS = 2.5 * STREAM_COMMENT_MS;
/** A stream that lasted this long was good, so the next attempt hardly waits. */
const STABLE_MS = 30_000;
const ANSWER_ATTEMPTS = 3;
/** Concurrent queries: each may read a whole log. */
const MAX_CONCURRENT = 4;
/** Wait after the server refuses this agent; heartbeats find out why. */
const TURNED_AWAY_MS = 60_000;

export type LiveOptions = {
  url: string;
  agentId: string;
  token: string;
  diagnostics: Diagnostics;
  signal: AbortSignal;
  logs: LiveLogs;
  /** Called when the server has opened the stream, so that queries can arrive. */
  onListening?: () => void;
  /** Called for each answer: whether the server still waited for it, and its duration. */
  onAnswered?: (taken: boolean, ms: number) => void;
  random?: () => number;
};

/** Takes commands from one connection until it ends. @returns the wait requested by the server, in milliseconds. */
async function listen(options: LiveOptions, enqueue: ReturnType<typeof workQueue>): Promise<number> {
  const { url, agentId, token, diagnostics, signal } = options;
  const connection = linkedTo(signal);
  const watch = setTimeout(() => connection.abort(new Error("the server has fallen silent")), SILENCE_MS);
  try {
    const response = await fetch(`${url}/api/v1/agents/${agentId}/commands`, {
      headers: { Authorization: `Bearer ${token}`, Accept: "text/event-stream" },
      redirect: "error",
      signal: connection.signal,
    });
    if (!response.ok || !response.body) {
      await response.body?.cancel();
      const asked = retryAfterMs(response.headers.get("retry-after"), Date.now());
      diagnostics.warn("live", "the server gives no command stream", { status: response.status });
      return response.status === 401 || response.status === 404 ? TURNED_AWAY_MS : asked;
    }
    diagnostics.debug("live", "listening for live queries");
    options.onListening?.();
    for await (const { event, data } of readEvents(chunksUntil(connection.signal, response.body), () =>
      watch.refresh(),
    )) {
      if (event !== "command") continue;
      // Ignores the command's deadline, because the machine's clock may be hours off.
      const until = performance.now() + LIVE_QUERY_TIMEOUT_MS;
      enqueue(async () => {
        const leftMs = until - performance.now();
        if (!connection.signal.aborted && leftMs > 0) await respondWithin(options, connection.signal, { data, leftMs });
      });
    }
    return 0;
  } finally {
    clearTimeout(watch);
    connection.abort();
    connection.release();
  }
}

/**
 * Ends with the answer, or when nobody waits for it any longer, so that a hanging program or server does not occupy a
 * worker.
 */
async function respondWithin(
  options: LiveOptions,
  connection: AbortSignal,
  { data, leftMs }: { data: string; leftMs: number },
): Promise<void> {
  const awaited = linkedTo(connection, leftMs);
  try {
    await Promise.race([respond({ ...options, signal: awaited.signal }, data), once(awaited.signal, "abort")]);
  } finally {
    awaited.abort();
    awaited.release();
  }
}

async function respond(options: LiveOptions, data: string): Promise<void> {
  const { url, agentId, token, diagnostics, signal, logs, onAnswered } = options;
  const client = new Client({ url, diagnostics, signal, maxAttempts: ANSWER_ATTEMPTS });
  client.token = token;
  try {
    const command: { id: string; name: string } = JSON.parse(data);
    const started = performance.now();
    const result = await answer(logs, command);
    if (signal.aborted) return;
    const reply = await client.send("POST", `/agents/${agentId}/commands/${command.id}/result`, result);
    const [taken, ms] = [reply.kind === "ok", performance.now() - started];
    onAnswered?.(taken, ms);
    diagnostics.debug("live", "answered a live query", {
      command: command.name,
      ok: result.ok,
      taken,
      ms: Math.round(ms),
    });
  } catch (error) {
    diagnostics.error("live", "a live query could not be answered", { error: messageOf(error) });
  }
}

/** Keeps the command stream open until the signal, reconnecting with growing, jittered waits. */
export async function keepCommandStream(options: LiveOptions): Promise<void> {
  const { diagnostics, signal, random = Math.random } = options;
  const enqueue = workQueue(MAX_CONCURRENT);
  for (let attempt = 0; !signal.aborted; attempt++) {
    const started = performance.now();
    let wait = 0;
    try {
      wait = await listen(options, enqueue);
    } catch (error) {
      if (!signal.aborted) diagnostics.debug("live", "the command stream broke", { error: messageOf(error) });
    }
    if (performance.now() - started > STABLE_MS) attempt = 0;
    await sleep(wait + backoffMs(attempt, random), undefined, { signal }).catch(() => {});
  }
}
