import { keysOf } from "@/server/ground/records";
import { DAY_MS } from "@/server/ground/time/durations";

/** Words and limits of rules and alerts, for the browser too. */

/** Sigma's levels, from the least to the most serious. */
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
/** An event that is so much older than the newest one seen was late. */
export const GRACE_MS = 5 * 60_000;
/** Groups of a rule in one organization whose state is kept. */
export const MAX_GROUPS = 10_000;
/** Entries that an alert lists; more are counted. */
export const MAX_ALERT_ENTRIES = 100;
export const DEFAULT_DEDUPE_SECONDS = 3_600;

/** The things that a threshold counts by, with the field of the rule. */
export const COUNT_BY = {
  person: { label: "person", plural: "people", field: "user.id" },
  device: { label: "device", plural: "devices", field: "device" },
  address: { label: "address", plural: "addresses", field: "ipAddress" },
} as const;
