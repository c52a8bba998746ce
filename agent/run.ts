import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { freemem, hostname, loadavg, platform, release, totalmem, uptime } from "node:os";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { type EnrollOutput, HEARTBEAT_INTERVAL_SECONDS, type HeartbeatOutput } from "@/server/devices/agents/schema";
import { MAX_LOGS_PER_REQUEST } from "@/server/devices/logs/agent-log-schema";
import { STOPPED } from "@/server/devices/schema";
import type { Client } from "./client";
import { AGENT_VERSION, type Diagnostics } from "./diagnostics";
import { messageOf } from "./message-of";
import { type Options, UsageError } from "./options";
import type { Logs } from "./providers/provider";
import { NONE, requireKnown, type Shipped, shipDiagnostics, shipEvents, sum, UnknownAgentError } from "./ship";
import type { StateFolder } from "./state";

/**
 * Enrollment key from a file or standard input, which process lists do not show, or from the command line. Only the
 * first line counts, without PowerShell's byte order mark.
 * @throws UsageError when the file cannot be read or is empty
 */
async function readEnrollmentKey({
  enrollmentKey,
  enrollmentKeyFile: file,
}: Pick<Options, "enrollmentKey" | "enrollmentKeyFile">): Promise<string | undefined> {
  if (file === undefined) return enrollmentKey;
  const given = await (file === "-" ? text(process.stdin) : readFile(file, "utf8")).catch((error) => {
    throw new UsageError(`--enrollment-key-file: ${messageOf(error)}`);
  });
  const key = given
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/, 1)[0]
    ?.trim();
  if (!key) throw new UsageError("--enrollment-key-file: there is no key in it");
  return key;
}

const OS_NAMES: Partial<Record<NodeJS.Platform, string>> = { linux: "linux", darwin: "macos", win32: "windows" };

/** Facts about the machine for enrollment. */
async function describeMachine(): Promise<{ hostname: string; os: string; osVersion: string }> {
  const text = await readFile("/etc/os-release", "utf8").catch(() => "");
  const pretty = /^PRETTY_NAME="?([^"\n]+)"?$/m.exec(text)?.[1];
  return {
    hostname: hostname(),
    os: OS_NAMES[platform()] ?? platform(),
    osVersion: (pretty ?? release()).slice(0, 100),
  };
}

/** Body of a heartbeat. */
function measureMachine(): Record<string, number> {
  return {
    uptimeSeconds: Math.round(uptime()),
    load1: loadavg()[0] ?? 0,
    memoryTotalBytes: totalmem(),
    memoryFreeBytes: freemem(),
  };
}

const DIAGNOSTICS_INTERVAL_MS = 60_000;
const MAX_BEAT_SECONDS = 3_600;
/** Status of idempotency_mismatch. */
const MISMATCH = 422;

export type Agent = {
  options: Options & { url: string };
  folder: StateFolder;
  client: Client;
  diagnostics: Diagnostics;
  logs: Logs;
  signal: AbortSignal;
};

/**
 * Enrolls this agent once. Its id and the request's key are stored before, and the key until the token is stored, so
 * that the next run gets a lost answer. An earlier token for the same server is sent along, which lets the agent keep
 * its id.
 * @throws UsageError without a key; UnknownAgentError where the server refuses; Error where it cannot be reached
 */
export async function enroll({ options, folder, client, diagnostics }: Agent): Promise<void> {
  const enrollmentKey = await readEnrollmentKey(options);
  if (!enrollmentKey) throw new UsageError("This agent is not enrolled: give it --enrollment-key-file.");
  const { sourceSystem, sourceDeviceId } = options;
  const body = {
    enrollmentKey,
    ...(await describeMachine()),
    agentVersion: AGENT_VERSION,
    agentId: folder.state.agentId,
    ...(folder.state.url === options.url ? { agentToken: folder.state.token } : {}),
    sourceSystem,
    sourceDeviceId,
  };
  const { idempotencyKey = randomUUID() } = folder.state;
  await folder.save({ idempotencyKey });
  const reply = await client.sendOnce<EnrollOutput>("/agents/enroll", body, idempotencyKey);
  if (reply.kind === "unreachable") throw new Error(`The server cannot be reached: ${reply.detail}`);
  if (reply.kind === "refused") {
    // The key belongs to another body, and would be refused for a day even after an administrator's help.
    if (reply.status === MISMATCH) await folder.save({ idempotencyKey: undefined });
    throw new UnknownAgentError(`the server did not enrol this agent: ${reply.detail}`);
  }
  const { agentId, deviceId, orgId, token, isSourceIdTaken }: Partial<EnrollOutput> = reply.body ?? {};
  if (!agentId || !deviceId || !orgId || !token)
    throw new Error("What answers at that address is no Trailmark server: it names no agent and no token.");
  await folder.save({ url: options.url, agentId, deviceId, orgId, token, idempotencyKey: undefined });
  client.token = token;
  diagnostics.info("enroll", "enrolled", { agentId, deviceId });
  if (isSourceIdTaken)
    diagnostics.warn("enroll", "another device has the source id; have an administrator release its agent", {
      sourceSystem,
      sourceDeviceId,
    });
}

/** Milliseconds until the next heartbeat: from the answer, or a minute if invalid. */
export function nextBeatMs(body: unknown): number {
  const { intervalSeconds: asked }: Partial<HeartbeatOutput> = Object(body);
  const isKept = typeof asked === "number" && asked >= 1 && asked <= MAX_BEAT_SECONDS;
  return (isKept ? asked : HEARTBEAT_INTERVAL_SECONDS) * 1000;
}

/** @returns milliseconds until the next heartbeat. */
async function beat(agent: Agent, status: string): Promise<number> {
  const path = `/agents/${agent.folder.state.agentId}/heartbeat`;
  const reply = await agent.client.send<HeartbeatOutput>("POST", path, {
    hostname: hostname(),
    agentVersion: AGENT_VERSION,
    status,
    metrics: measureMachine(),
  });
  requireKnown(reply);
  if (reply.kind === "refused")
    agent.diagnostics.warn("main", "the server refused a heartbeat", { detail: reply.detail });
  return nextBeatMs(reply.kind === "ok" && reply.body);
}

/** Enrolls if the server does not know this agent. @returns whether it did */
export async function enrollIfUnknown(agent: Agent): Promise<boolean> {
  if (agent.client.token && agent.folder.state.url === agent.options.url) {
    try {
      await beat(agent, "enrolled");
      if (agent.client.failing) throw new Error("the server cannot be reached");
      return false;
    } catch (error) {
      if (!(error instanceof UnknownAgentError)) throw error;
    }
  }
  agent.client.token = undefined;
  await enroll(agent);
  return true;
}

const portOf = ({ client, diagnostics, folder }: Agent) => ({ client, diagnostics, agentId: folder.state.agentId });

/** Ships one batch of every log. An unreadable log is reported and does not block others. */
async function shipRound(agent: Agent): Promise<{ shipped: Shipped; more: boolean }> {
  let total = NONE;
  let more = false;
  for (const provider of agent.logs.shipped) {
    if (agent.signal.aborted) break;
    try {
      const result = await shipEvents(portOf(agent), provider, agent.folder);
      more ||= result.more;
      total = sum(total, result.shipped);
    } catch (error) {
      if (error instanceof UnknownAgentError) throw error;
      agent.diagnostics.error("events", "a log cannot be read", {
        log: provider.key ?? provider.name,
        error: messageOf(error),
      });
    }
  }
  if (total.sent > 0) agent.diagnostics.info("events", "shipped events", { ...total });
  return { shipped: total, more: more && !agent.signal.aborted };
}

/** Ships everything available now, once. @returns the amounts shipped. */
export async function runOnce(agent: Agent): Promise<Shipped> {
  await beat(agent, "running");
  let total = NONE;
  for (let more = true; more; ) {
    const round = await shipRound(agent);
    total = sum(total, round.shipped);
    more = round.more;
  }
  await shipDiagnostics(portOf(agent));
  return total;
}

/**
 * Sends heartbeats, events and diagnostics, each when due, one after the other, until the signal. Uses a monotonic
 * clock: the machine's may be hours off and then be corrected.
 */
export async function runUntilStopped(agent: Agent): Promise<void> {
  const now = () => performance.now();
  const due = { beat: 0, events: 0, diagnostics: now() + DIAGNOSTICS_INTERVAL_MS };
  while (!agent.signal.aborted) {
    if (now() >= due.beat) due.beat = now() + (await beat(agent, "running"));
    if (now() >= due.events) {
      const { more } = await shipRound(agent);
      due.events = more ? 0 : now() + agent.options.interval * 1000;
    }
    if (now() >= due.diagnostics || agent.diagnostics.size >= MAX_LOGS_PER_REQUEST) {
      await shipDiagnostics(portOf(agent));
      due.diagnostics = now() + DIAGNOSTICS_INTERVAL_MS;
    }
    const wait = Math.min(due.beat, due.events, due.diagnostics) - now();
    if (wait > 0) await sleep(wait, undefined, { signal: agent.signal }).catch(() => {});
  }
}

/** Sends the buffer in one attempt before the program ends. */
export async function flush(agent: Agent): Promise<void> {
  await beat(agent, STOPPED);
  await shipDiagnostics(portOf(agent));
}
