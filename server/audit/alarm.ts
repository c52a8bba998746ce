import { log } from "../log";
import { gauge } from "../process/metrics";
import { shared } from "../process/shared";
import type { Break } from "./verifier";

/** A chain that was found broken: what the banner, the metric and the log tell. */
export type Alarm = { orgId: string; at: string; source: "nightly" | "checkpoint" | "on demand"; breaks: Break[] };

const alarms = () => shared("audit.alarms", () => new Map<string, Alarm>());

/** Tells everybody who should know: an error in the log, a metric, and the banner through listAlarms. */
export function raiseAlarm(alarm: Alarm): void {
  alarms().set(alarm.orgId, alarm);
  log.error({ orgId: alarm.orgId, source: alarm.source, breaks: alarm.breaks.slice(0, 5) }, "AUDIT CHAIN BROKEN");
  gauge("trailmark_audit_broken_chains", "Organizations whose audit chain was found broken", () => alarms().size);
}

/** A later verification of the whole chain found nothing. */
export const clearAlarm = (orgId: string): void => void alarms().delete(orgId);

export const alarmOf = (orgId: string): Alarm | null => alarms().get(orgId) ?? null;
