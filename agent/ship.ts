import type { WireLogEntry } from "@/server/devices/logs/agent-log-schema";
import { MAX_LOGS_PER_REQUEST } from "@/server/devices/logs/agent-log-schema";
import { MAX_EVENTS_PER_REQUEST, type WireEvent } from "@/server/devices/logs/event-log-schema";
import type { Client, Reply } from "./client";
import type { Diagnostics } from "./diagnostics";
import { type LogProvider, toWireEvent } from "./providers/provider";
import type { StateFolder } from "./state";

/** The server no longer knows this agent, so it must stop. */
export class UnknownAgentError extends Error {}

export type Shipped = { sent: number; stored: number; refused: number };
type Outcome = { kind: "done"; shipped: Shipped } | { kind: "unreachable" };
type Port = { client: Client; diagnostics: Diagnostics; agentId: string };

export const NONE: Shipped = { sent: 0, stored: 0, refused: 0 };
export const sum = (a: Shipped, b: Shipped): Shipped => ({
  sent: a.sent + b.sent,
  stored: a.stored + b.stored,
  refused: a.refused + b.refused,
});

/** Number of items in a batch that were new to the server. */
type Stored = { count?: number; received?: number };

/** @throws UnknownAgentError when the refusal concerns the agent instead of its data. */
export function requireKnown(reply: Reply): void {
  if (reply.kind === "refused" && [401, 403, 404].includes(reply.status)) throw new UnknownAgentError(reply.detail);
}

/**
 * Sends items in one request; on a refusal halves the batch until bad items stand alone, so that they cost no others.
 * Refused items are logged and counted.
 */
async function sendItems<T>(port: Port, items: T[], send: (items: T[]) => Promise<Reply<Stored>>): Promise<Outcome> {
  if (items.length === 0) return { kind: "done", shipped: NONE };
  const reply = await send(items);
  requireKnown(reply);
  if (reply.kind === "unreachable") return reply;
  if (reply.kind === "ok") {
    const { count, received } = reply.body;
    return { kind: "done", shipped: { sent: items.length, stored: count ?? received ?? 0, refused: 0 } };
  }
  if (items.length === 1) {
    port.diagnostics.error("shipper", "the server refused an entry", { detail: reply.detail });
    return { kind: "done", shipped: { sent: 1, stored: 0, refused: 1 } };
  }
  const middle = Math.ceil(items.length / 2);
  const first = await sendItems(port, items.slice(0, middle), send);
  if (first.kind !== "done") return first;
  const second = await sendItems(port, items.slice(middle), send);
  return second.kind === "done" ? { kind: "done", shipped: sum(first.shipped, second.shipped) } : second;
}

/**
 * Ships one batch of a log's events. The watermark is stored after the acknowledgement and before the next read: after
 * a crash in between a batch is sent twice, which deduplication makes harmless.
 * @returns more: true when there is another batch to ship at once.
 */
export async function shipEvents(
  port: Port,
  provider: Pick<LogProvider, "name" | "key" | "read">,
  folder: StateFolder,
): Promise<{ shipped: Shipped; more: boolean }> {
  const key = provider.key ?? provider.name;
  const reading = await provider.read(folder.state.watermarks[key], MAX_EVENTS_PER_REQUEST);
  const put = (events: WireEvent[]) => port.client.send<Stored>("PUT", `/agents/${port.agentId}/eventlogs`, { events });
  const outcome = await sendItems(port, reading.records.map(toWireEvent), put);
  if (outcome.kind !== "done") return { shipped: NONE, more: false };
  await folder.advance(key, reading.watermark);
  if (reading.warning) port.diagnostics.warn("events", reading.warning, { log: key });
  return { shipped: outcome.shipped, more: reading.more };
}

/** Ships one batch of the agent's own diagnostics; unacknowledged ones stay in the buffer. */
export async function shipDiagnostics(port: Port): Promise<boolean> {
  const logs = port.diagnostics.peek(MAX_LOGS_PER_REQUEST);
  const post = (entries: WireLogEntry[]) =>
    port.client.send<Stored>("POST", `/agents/${port.agentId}/logs`, { logs: entries });
  const outcome = await sendItems(port, logs, post);
  if (outcome.kind === "done") port.diagnostics.forget(logs);
  return outcome.kind === "done";
}
