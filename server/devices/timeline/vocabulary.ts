import { keysOf } from "@/server/ground/records";

/** Logs merged in a device's timeline, in order within one instant, newest first. */
export const SOURCE_LABEL = {
  audit: "Audit entries",
  diagnostic: "Diagnostic logs",
  event: "Event logs",
};
export const TIMELINE_SOURCES = keysOf(SOURCE_LABEL);
export type TimelineSource = (typeof TIMELINE_SOURCES)[number];

/** Facts that nearby entries can share with the central one. */
export const TIE_LABEL = {
  session: "Same session",
  actor: "Same actor",
  address: "Same address",
  device: "Same device",
  organization: "Everything in the organization",
};
export const TIES = keysOf(TIE_LABEL);
export type Tie = (typeof TIES)[number];

/** Ties shown by default. */
export const USUAL_TIES: readonly Tie[] = ["session", "actor", "address", "device"];

/** Minutes before and after the entry. */
export const AROUND_MINUTES = [1, 5, 15, 60] as const;
export const DEFAULT_AROUND_MINUTES = 5;

/** Items on each side of the entry. */
export const DEFAULT_AROUND_LIMIT = 100;
export const MAX_AROUND_LIMIT = 500;
