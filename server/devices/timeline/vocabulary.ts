/** The logs that a device's timeline merges, in the order of what happened at the same moment, newest first. */
export const TIMELINE_SOURCES = ["audit", "diagnostic", "event"] as const;
export type TimelineSource = (typeof TIMELINE_SOURCES)[number];

export const SOURCE_LABEL: Record<TimelineSource, string> = {
  audit: "Audit entries",
  diagnostic: "Diagnostic logs",
  event: "Event logs",
};

/** Facts that entries around a moment can share with the entry in its middle. */
export const TIES = ["session", "actor", "address", "device", "organization"] as const;
export type Tie = (typeof TIES)[number];

export const TIE_LABEL: Record<Tie, string> = {
  session: "Same session",
  actor: "Same actor",
  address: "Same address",
  device: "Same device",
  organization: "Everything in the organization",
};

/** The ties that are shown unless others are chosen. */
export const USUAL_TIES: readonly Tie[] = ["session", "actor", "address", "device"];

/** How far around a moment, each way. */
export const AROUND_MINUTES = [1, 5, 15, 60] as const;
export const DEFAULT_AROUND_MINUTES = 5;

/** Items on each side of the moment. */
export const DEFAULT_AROUND_LIMIT = 100;
export const MAX_AROUND_LIMIT = 500;
