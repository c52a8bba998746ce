import { version } from "@/package.json";
import type { Cast } from "./beats";
import type { Client } from "./client";
import { deviceEvents } from "./device-events";
import type { Random } from "./random";

const SITES = ["Main office", "Warehouse", "Reception"];
const COMPONENTS = ["updater", "heartbeat", "ws", "inventory"];

/** What the agents of all machines say of themselves and what the machines logged. */
export async function submitDeviceLogs(
  api: Client,
  { devices, tokens, random }: Cast & { tokens: Map<string, string>; random: Random },
  end: number,
): Promise<void> {
  for (const device of devices) {
    const agent = api.as(tokens.get(device.agentId) ?? "").from(device.ip);
    await agent.send("POST", `/agents/${device.agentId}/heartbeat`, {
      agentVersion: version,
      status: "running",
      metrics: { uptimeHours: random.int(2, 900), cpuPercent: random.int(2, 60), diskFreeGb: random.int(12, 700) },
    });
    const logs = Array.from({ length: 120 }, (_, i) => ({
      timestamp: new Date(end - (120 - i) * 720_000).toISOString(),
      level: random.weighted({ debug: 20, info: 66, warn: 11, error: 3 }),
      component: random.pick(COMPONENTS),
      message: random.pick([
        "heartbeat answered in 41 ms",
        "inventory unchanged",
        "update check: nothing new",
        "reconnected after 3 s",
        "batch of events accepted",
        "certificate verified",
      ]),
      fields: { attempt: 1, durationMs: random.int(3, 900) },
      agentVersion: version,
    }));
    await agent.send("POST", `/agents/${device.agentId}/logs`, { logs });
    await agent.send("PUT", `/agents/${device.agentId}/eventlogs`, {
      events: deviceEvents(device, random, end),
    });
  }
}

/** What a technician notes of machines beyond what their agents report. */
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
