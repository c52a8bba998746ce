import { version } from "@/package.json";
import type { LogLevel, WireLogEntry } from "@/server/devices/logs/agent-log-schema";

/** Limit of entries kept while the server is down; the oldest are dropped. */
const MAX_BUFFERED = 5_000;

export const AGENT_VERSION: string = version;

type Log = (component: string, message: string, fields?: Record<string, unknown>) => void;

/** The agent's own log: printed, and kept until shipped. */
export class Diagnostics {
  readonly debug = this.at("debug");
  readonly info = this.at("info");
  readonly warn = this.at("warn");
  readonly error = this.at("error");
  private buffer: WireLogEntry[] = [];
  private dropped = 0;

  constructor(
    private readonly print: (line: string) => void = (line) => process.stderr.write(`${line}\n`),
    private readonly max = MAX_BUFFERED,
  ) {}

  get size(): number {
    return this.buffer.length;
  }

  private at(level: LogLevel): Log {
    return (component, message, fields) => {
      const timestamp = new Date().toISOString();
      this.print(`${timestamp} ${level} ${component}: ${message}${fields ? ` ${JSON.stringify(fields)}` : ""}`);
      this.buffer.push({ timestamp, level, component, message, fields, agentVersion: AGENT_VERSION });
      if (this.buffer.length <= this.max) return;
      this.buffer.shift();
      this.dropped += 1;
    };
  }

  /** Oldest entries, without removing them; if some were dropped, the first one states how many. */
  peek(count: number): WireLogEntry[] {
    if (this.dropped > 0) {
      const lost = this.dropped;
      this.dropped = 0;
      this.buffer.splice(0, 1);
      this.buffer.unshift({
        timestamp: new Date().toISOString(),
        level: "warn",
        component: "diagnostics",
        message: `dropped ${lost + 1} diagnostic entries while the server could not be reached`,
        fields: { dropped: lost + 1 },
        agentVersion: AGENT_VERSION,
      });
    }
    return this.buffer.slice(0, count);
  }

  /** Removes acknowledged entries. */
  forget(entries: WireLogEntry[]): void {
    const gone = new Set(entries);
    this.buffer = this.buffer.filter((entry) => !gone.has(entry));
  }
}
