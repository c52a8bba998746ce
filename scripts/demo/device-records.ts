import { setTimeout as sleep } from "node:timers/promises";
import { version } from "@/package.json";
import { HOUR_MS } from "@/server/ground/time/durations";
import type { Cast, Device } from "@/testing/world/cast";
import { agentLine, DEVICE_EVENTS, draw } from "@/testing/world/device-events";
import type { Random } from "@/testing/world/random";
import type { Client } from "./client";
import { workingTime } from "./clock";
import { incidentOn } from "./incident";

/** Agents report about once a minute. */
const REPORT_MS = 45_000;
const SITES = ["Main office", "Warehouse", "Reception"];
const AGENT_LINES = 120;
const EVENTS_PER_DEVICE = 240;

/** Diagnostic lines of one agent over its last day, oldest first. */
export const agentLines = (random: Random, end: number) =>
  Array.from({ length: AGENT_LINES }, (_, i) => ({
    ...agentLine(random, new Date(end - (AGENT_LINES - i) * 720_000)),
    agentVersion: version,
  }));

/** Some hundred realistic OS events of a device over the month, each with an occurrence id. */
export const deviceEvents = ({ os, hostname }: Device, random: Random, end: number) =>
  Array.from({ length: EVENTS_PER_DEVICE }, (_, i) => {
    const { level, category, source, message, number } = draw(DEVICE_EVENTS[os], random);
    return {
      timestamp: new Date(workingTime(random, end)).toISOString(),
      ...{ level, category, source, message: message(random), eventId: `${hostname}:${i + 1}` },
      ...(number && { details: { eventId: number, computer: hostname } }),
    };
  }).sort(byTime);

/** Submits diagnostics of all agents and their machines' events. */
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

/** Reports once for every machine, like its agent; failures are retried in the next round. */
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

/** Keeps the demo's machines online by reporting until it ends. */
export async function keepReporting(api: Client, machines: readonly Machine[], random: Random): Promise<never> {
  for (;;) {
    // Does not keep the process alive.
    await sleep(REPORT_MS, undefined, { ref: false });
    await reportOnce(api, machines, random);
  }
}

/** A technician's notes on machines. */
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
