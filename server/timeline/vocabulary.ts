/** The logs that a device's timeline merges, in the order of what happened at the same moment, newest first. */
export const TIMELINE_SOURCES = ["audit", "diagnostic", "event"] as const;
export type TimelineSource = (typeof TIMELINE_SOURCES)[number];

export const SOURCE_LABEL: Record<TimelineSource, string> = {
  audit: "Audit entries",
  diagnostic: "Diagnostic logs",
  event: "Event logs",
};
