import { readOptions, serverUrl, UsageError } from "@/agent/options";
import { MAX_EVENTS_PER_REQUEST } from "@/server/devices/logs/event-log-schema";

export type SimulateOptions = {
  url: string;
  enrollmentKey: string;
  devices: number;
  rate: number;
  seconds: number;
  /** Shipping interval per agent (s), with a heartbeat a minute, instead of a rate of mixed requests. */
  interval?: number | undefined;
  /** Events per request; by default one to eight. */
  events?: number | undefined;
  /** Folder for tokens between runs; by default none are kept. */
  stateDir?: string | undefined;
};

export const SIMULATE_USAGE = `Usage: npm run agent -- simulate --url URL --enrollment-key KEY [options]

  --devices N     simulated agents, 1 to 1000 (default 20)
  --rate R        requests a second in total, up to 2000 (default 20)
  --interval S    instead of --rate: each agent ships every S seconds and sends a heartbeat a minute
  --events N      events in each request, up to ${MAX_EVENTS_PER_REQUEST} (default 1 to 8)
  --seconds S     how long, up to 86400 (default 60)
  --state-dir DIR where the agents' tokens are kept for the next run

The same key makes the same devices, which a server enrolls once: run them again with the same --state-dir. Enrols, keeps command streams open and answers live queries, sends
heartbeats, diagnostics and events; ends with counts, errors by status and latencies. SIGTERM ends it early.`;

function numberIn(name: string, text: string | undefined, max: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!(value > 0 && value <= max)) throw new UsageError(`--${name} takes a number up to ${max}`);
  return value;
}

/** @throws UsageError for an unknown, incomplete or invalid option. */
export function parseSimulateOptions(args: string[]): SimulateOptions {
  const text = { type: "string" } as const;
  const values = readOptions(args, {
    url: text,
    "enrollment-key": text,
    devices: text,
    rate: text,
    interval: text,
    events: text,
    seconds: text,
    "state-dir": text,
  });
  if (!values.url || !values["enrollment-key"]) throw new UsageError("--url and --enrollment-key are needed");
  if (values.rate && values.interval) throw new UsageError("--rate and --interval exclude each other");
  const events = numberIn("events", values.events, MAX_EVENTS_PER_REQUEST);
  return {
    url: serverUrl(values.url),
    enrollmentKey: values["enrollment-key"],
    devices: Math.ceil(numberIn("devices", values.devices, 1000) ?? 20),
    rate: numberIn("rate", values.rate, 2000) ?? 20,
    seconds: numberIn("seconds", values.seconds, 86_400) ?? 60,
    interval: numberIn("interval", values.interval, 86_400),
    events: events === undefined ? undefined : Math.ceil(events),
    stateDir: values["state-dir"],
  };
}
