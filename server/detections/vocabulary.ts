import { keysOf } from "@/server/ground/records";
import { DAY_MS } from "@/server/ground/time/durations";

/** Terms and limits of rules and alerts. Isomorphic. */

/** Sigma's levels, in ascending order. */
export const LEVELS = ["informational", "low", "medium", "high", "critical"] as const;
export type Level = (typeof LEVELS)[number];

export const ALERT_STATE_LABEL = { open: "Open", acknowledged: "Acknowledged", closed: "Closed" } as const;

export const ALERT_STATES = keysOf(ALERT_STATE_LABEL);

/** Why an alert was closed. */
export const REASON_LABEL = { true: "A real incident", expected: "Expected activity", noise: "Noise" } as const;

export const REASONS = keysOf(REASON_LABEL);

export const MAX_YAML_LENGTH = 20_000;
export const MAX_THRESHOLD = 1_000;
export const MAX_TIMESPAN_MS = 7 * DAY_MS;
export const MAX_RULES_PER_OWNER = 200;
export const MAX_BACKTEST_DAYS = 90;
/** An event older than the newest one by more than this was late. */
export const GRACE_MS = 5 * 60_000;
/** Groups kept per rule and organization. */
export const MAX_GROUPS = 10_000;
/** Entries listed in an alert; further ones are only counted. */
export const MAX_ALERT_ENTRIES = 100;
export const DEFAULT_DEDUPE_SECONDS = 3_600;

/** Subjects that a threshold counts by, with their rule field. */
export const COUNT_BY = {
  person: { label: "person", plural: "people", field: "user.id" },
  device: { label: "device", plural: "devices", field: "device" },
  address: { label: "address", plural: "addresses", field: "ipAddress" },
} as const;
