import { setTimeout as sleep } from "node:timers/promises";
import { version } from "@/package.json";
import { itemAt } from "@/server/ground/records";
import { HOUR_MS } from "@/server/ground/time/durations";
import type { Cast } from "./beats";
import type { Client } from "./client";
import { deviceEvents } from "./device-events";
import { incidentOn } from "./incident";
import type { Random } from "./random";

/** Agents report about once a minute. */
const REPORT_MS = 45_000;
const SITES = ["Main office", "Warehouse", "Reception"];
type Line = { component: string; level: "debug" | "info" | "warn" | "error"; message: (ms: number) => string };

/** Diagnostics of agents: each line belongs to its part and level. Repeated as often as it is common. */
const LINES: readonly [number, Line][] = [
  [20, { component: "heartbeat", level: "debug", message: (ms) => `heartbeat answered in ${ms} ms` }],
  [18, { component: "inventory", level: "info", message: () => "inventory unchanged" }],
  [16, { component: "updater", level: "info", message: () => "update check: nothing new" }],
  [20, { component: "events", level: "info", message: () => "batch of events accepted" }],
  [8, { component: "ws", level: "info", message: () => "certificate verified" }],
  [4, { component: "ws", level: "info", message: () => "reconnected after 3 s" }],
  [6, { component: "ws", level: "warn", message: () => "connection closed by the server, reconnecting" }],
  [4, { component: "heartbeat", level: "warn", message: () => "heartbeat unanswered, trying again" }],
  [2, { component: "updater", level: "error", message: () => "update check failed: name not resolved" }],
  [1, { component: "inventory", level: "error", message: () => "inventory failed: access denied" }],
];

const AGENT_LINES = 120;

/** The diagnostic lines of one agent over its last day, oldest first. */
export function agentLines(random: Random, end: number) {
  const weights = Object.fromEntries(LINES.map(([weight], at) => [String(at), weight]));
  return Array.from({ length: AGENT_LINES }, (_, i) => {
    const { component, level, message } = itemAt(LINES, Number(random.weighted(weights)))[1];
    const durationMs = random.int(3, 900);
    return {
      timestamp: new Date(end - (AGENT_LINES - i) * 720_000).toISOString(),
      level,
      component,
      message: message(durationMs),
      fields: { attempt: 1, durationMs },
      agentVersion: version,
    };
  });
}

/** Diagnostics of all agents and events of their machines. */
export async function submitDeviceLogs(
  api: Client,
  { devices, tokens, random }: Cast & { tokens: Map<string, string>; random: Random },
  end: number,
): Promise<void> {
  for (const device of devices) {
    const agent = api.as(tokens.get(device.agentId) ?? "").from(device.ip);
    const incident = incidentOn(device, end);
    const logs = [...agentLines(random, end), ...incident.lines].sort(byTime);
    await agent.send("POST", `/agents/${device.agentId}/logs`, { logs });
    const events = [...deviceEvents(device, random, end), ...incident.events].sort(byTime);
    await agent.send("PUT", `/agents/${device.agentId}/eventlogs`, { events });
  }
}

const byTime = (a: { timestamp: string }, b: { timestamp: string }): number => (a.timestamp < b.timestamp ? -1 : 1);

export type Machine = { agentId: string; token: string; ip: string };
const AT_ONCE = 10;

/** Every machine reports once, as its agent would; one that is refused or unanswered reports again in the next round. */
export async function reportOnce(api: Client, machines: readonly Machine[], random: Random): Promise<void> {
  const report = async ({ agentId, token, ip }: Machine, at: number) => {
    const uptimeHours = Math.floor(Date.now() / HOUR_MS) % (at + 24);
    const metrics = { uptimeHours, cpuPercent: random.int(2, 60), diskFreeGb: 40 + at };
    const body = { agentVersion: version, status: "running", metrics };
    await api
      .as(token)
      .from(ip)
      .send("POST", `/agents/${agentId}/heartbeat`, body)
      .catch(() => undefined);
  };
  for (let at = 0; at < machines.length; at += AT_ONCE)
    await Promise.all(machines.slice(at, at + AT_ONCE).map((machine, i) => report(machine, at + i)));
}

/** How the demo's machines stay online: they report again and again until the demo ends. */
export async function keepReporting(api: Client, machines: readonly Machine[], random: Random): Promise<never> {
  for (;;) {
    // It does not keep the demo from ending.
    await sleep(REPORT_MS, undefined, { ref: false });
    await reportOnce(api, machines, random);
  }
}

/** A technician's notes on machines, beside the agents' reports. */
export async function noteFields(admin: Client, cast: Cast, random: Random): Promise<void> {
  const owner = "all_organizations";
  for (const field of [
    { name: "Asset tag", fieldKey: "asset_tag", type: "text" },
    { name: "Warranty until", fieldKey: "warranty_until", type: "date" },
    { name: "Site", fieldKey: "site", type: "dropdown", options: SITES },
  ])
    await admin.send("POST", "/custom-fields", { owner, ...field });
  for (const device of cast.devices)
    await admin.send("PATCH", `/devices/${device.deviceId}/custom-fields`, {
      asset_tag: `${device.kind}-${random.int(1000, 9999)}`,
      warranty_until: `${random.int(2026, 2029)}-0${random.int(1, 9)}-15`,
      site: random.pick(SITES),
    });
}
