/** Logs merged in a device's timeline, in order within one instant, newest first. */
export const TIMELINE_SOURCES = ["audit", "diagnostic", "event"] as const;
export type TimelineSource = (typeof TIMELINE_SOURCES)[number];

export const SOURCE_LABEL: Record<TimelineSource, string> = {
  audit: "Audit entries",
  diagnostic: "Diagnostic logs",
  event: "Event logs",
};

/** Facts that nearby entries can share with the central one. */
export const TIES = ["session", "actor", "address", "device", "organization"] as const;
export type Tie = (typeof TIES)[number];

export const TIE_LABEL: Record<Tie, string> = {
  session: "Same session",
  actor: "Same actor",
  address: "Same address",
  device: "Same device",
  organization: "Everything in the organization",
};

/** Ties shown by default. */
export const USUAL_TIES: readonly Tie[] = ["session", "actor", "address", "device"];

/** Minutes before and after the entry. */
export const AROUND_MINUTES = [1, 5, 15, 60] as const;
export const DEFAULT_AROUND_MINUTES = 5;

/** Items on each side of the entry. */
export const DEFAULT_AROUND_LIMIT = 100;
export const MAX_AROUND_LIMIT = 500;
