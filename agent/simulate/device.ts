import { createHash, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { linkedTo } from "@/agent/abort";
import { retryAfterMs } from "@/agent/client";
import { AGENT_VERSION } from "@/agent/diagnostics";
import { toWireEvent } from "@/agent/providers/provider";
import { agentLine } from "@/testing/world/device-events";
import type { Random } from "@/testing/world/random";
import type { Figures } from "./figures";
import { CHANNELS, MemoryLog } from "./memory-log";

const REQUEST_TIMEOUT_MS = 30_000;
const METHODS = { enrol: "POST", heartbeat: "POST", logs: "POST", events: "PUT" };
const ROLES = ["FRONTDESK", "ACCOUNTING", "LAPTOP", "SRV-FILE", "SRV-SQL", "MEETING"];

export type Port = {
  url: string;
  events?: number | undefined;
  figures: Figures;
  signal: AbortSignal;
  random: Random;
};
type Answer = { status: number; body: { token?: string; count?: number; detail?: string }; retryAfterMs: number };

export class SimulatedDevice {
  readonly agentId: string;
  readonly hostname: string;
  readonly logs: MemoryLog[];
  token = "";
  /** Lets the server repeat a lost answer. */
  private readonly enrolment = randomUUID();
  private readonly started = Date.now();

  constructor(
    private readonly port: Port,
    private readonly enrollmentKey: string,
    number: number,
  ) {
    // The same key gives the same devices, and another organization's different ones.
    const keyDigest = createHash("sha256").update(enrollmentKey).digest("hex").slice(0, 10);
    this.agentId = `sim-${keyDigest}-${number}`;
    this.hostname = `${ROLES[number % ROLES.length]}-${String(number).padStart(3, "0")}`;
    this.logs = CHANNELS.map((name) => new MemoryLog({ name, computer: this.hostname, random: port.random }));
  }

  /** Enrolls unless an earlier run's token exists. @throws when the server refuses for good, or the simulation ends. */
  async enroll(): Promise<void> {
    while (!this.token) {
      const {
        status,
        body,
        retryAfterMs: wait,
      } = await this.call("enrol", "/agents/enroll", {
        enrollmentKey: this.enrollmentKey,
        agentId: this.agentId,
        hostname: this.hostname,
        os: "windows",
        osVersion: "Windows 11 Pro 10.0.26100",
        agentVersion: AGENT_VERSION,
      });
      if (status === 201) {
        this.token = body.token ?? "";
        return;
      }
      this.port.signal.throwIfAborted();
      const isUnderWay = status === 409 && wait > 0;
      if (status >= 400 && status < 500 && status !== 429 && !isUnderWay)
        throw new Error(`the server did not enrol ${this.agentId}: ${status} ${body.detail ?? ""}`);
      await sleep(Math.max(wait, 1_000), undefined, { signal: this.port.signal });
    }
  }

  async heartbeat(): Promise<void> {
    const { random } = this.port;
    const metrics = {
      uptimeSeconds: Math.round((Date.now() - this.started) / 1000),
      cpuPercent: random.int(0, 100),
      memoryFreeBytes: Math.round((2 + random.next() * 12) * 1024 ** 3),
    };
    await this.call("heartbeat", `/agents/${this.agentId}/heartbeat`, {
      agentVersion: AGENT_VERSION,
      status: "running",
      metrics,
    });
  }

  async sendDiagnostics(): Promise<void> {
    const line = () => ({ ...agentLine(this.port.random, new Date()), agentVersion: AGENT_VERSION });
    const logs = [line(), line()];
    await this.call("logs", `/agents/${this.agentId}/logs`, { logs });
  }

  async sendEvents(): Promise<void> {
    const { random, events: fixed } = this.port;
    const count = fixed ?? random.int(1, 8);
    const events = Array.from({ length: count }, () => toWireEvent(random.pick(this.logs).happen()));
    const { body } = await this.call("events", `/agents/${this.agentId}/eventlogs`, { events });
    if (typeof body.count === "number") this.port.figures.eventsStored += body.count;
  }

  private async call(kind: keyof typeof METHODS, path: string, body: object): Promise<Answer> {
    const { url, figures, signal } = this.port;
    const started = performance.now();
    const note = (outcome: number | string) => figures.note(kind, outcome, performance.now() - started);
    const linked = linkedTo(signal, REQUEST_TIMEOUT_MS);
    try {
      const response = await fetch(`${url}/api/v1${path}`, {
        method: METHODS[kind],
        headers: {
          "Content-Type": "application/json",
          ...(this.token ? { Authorization: `Bearer ${this.token}` } : { "Idempotency-Key": this.enrolment }),
        },
        body: JSON.stringify(body),
        signal: linked.signal,
      });
      const text = await response.text();
      note(response.status);
      const wait = retryAfterMs(response.headers.get("retry-after"), Date.now());
      return { status: response.status, body: text ? JSON.parse(text) : {}, retryAfterMs: wait };
    } catch (error) {
      if (!signal.aborted) note(error instanceof Error && error.name === "TimeoutError" ? "timeout" : "network");
      return { status: 0, body: {}, retryAfterMs: 0 };
    } finally {
      linked.release();
    }
  }
}
