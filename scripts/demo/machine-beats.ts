import { version } from "@/package.json";
import { itemAt } from "@/server/ground/records";
import { DAY_MS, HOUR_MS } from "@/server/ground/time/durations";
import type { Cast, Device } from "@/testing/world/cast";
import type { Random } from "@/testing/world/random";
import { ALERT_NAMES, ALERTS, type Beat, onDevice, POLICIES, SCRIPTS, type StoryEvent } from "./beats";
import { MONTH_MS, workingTime } from "./clock";

const SYSTEM = "00000000-0000-0000-0000-000000000000";

/** A laptop leaves the office's network and returns: two events, hours apart. */
export function journey(cast: Cast, device: Device, { random, end }: { random: Random; end: number }): StoryEvent[] {
  // Both are in the month: nobody is away at its end.
  const left = Math.max(workingTime(random, end - DAY_MS), end - MONTH_MS + HOUR_MS);
  const away = `100.64.${random.int(0, 255)}.${random.int(1, 254)}`;
  const moved = (at: number, previousIp: string, currentIp: string): StoryEvent => ({
    orgId: itemAt(cast.orgIds, device.org),
    actorType: "agent",
    actorId: device.agentId,
    ipAddress: currentIp,
    userAgent: `trailmark-agent/${version}`,
    result: "success",
    action: "agent.source.ip.changed",
    ...onDevice(device),
    details: { agentId: device.agentId, previousIp, currentIp },
    timestamp: new Date(at).toISOString(),
  });
  return [moved(left, device.ip, away), moved(left + random.int(2, 9) * HOUR_MS, away, device.ip)];
}

/** Events without a user: submissions of agents, policy evaluations, alerts, the assistant's suggestions. */
export function machineBeat(cast: Cast, device: Device, random: Random): Beat {
  const orgId = itemAt(cast.orgIds, device.org);
  const agent = {
    orgId,
    actorType: "agent" as const,
    actorId: device.agentId,
    ipAddress: device.ip,
    userAgent: `trailmark-agent/${version}`,
    result: "success" as const,
  };
  const system = { orgId, actorType: "system" as const, actorId: SYSTEM, result: "success" as const };
  switch (random.weighted({ submit: 880, evaluate: 70, alert: 40, ai: 8 })) {
    case "submit": {
      const received = random.int(1, 120);
      return {
        ...agent,
        action: "agent.eventlogs.submit",
        ...onDevice(device),
        details: { received, inserted: received - random.int(0, Math.min(3, received)) },
      };
    }
    case "evaluate": {
      const failed = random.chance(0.05);
      return {
        ...system,
        result: failed ? "failure" : "success",
        ...(failed ? { errorMessage: "2 of 14 settings differ" } : {}),
        action: random.chance(0.3) ? "automation.policy.evaluate" : "policy.evaluate",
        resourceType: "policy",
        resourceName: random.pick(POLICIES),
        details: { device: device.hostname, settings: 14, differing: failed ? 2 : 0 },
      };
    }
    case "alert": {
      const alert = random.pick(ALERT_NAMES);
      return {
        ...system,
        action: "alert.create",
        resourceType: "alert",
        resourceName: alert,
        details: { device: device.hostname, severity: ALERTS[alert] },
      };
    }
    default:
      return {
        orgId,
        actorType: "ai_agent",
        actorId: "triage-assistant",
        action: random.pick(["alert.acknowledge", "script.execute"]),
        resourceType: "device",
        resourceId: device.deviceId,
        resourceName: device.hostname,
        result: "success",
        details: { suggestion: random.pick(SCRIPTS), confidence: random.int(71, 99) / 100 },
      };
  }
}
