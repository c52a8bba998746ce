import { gauge } from "@/server/ground/background/metrics";

/** Origins whose newest checkpoint lacks its quorum, with the time since when, in milliseconds. */
const unwitnessed = new Map<string, number>();

/** The age of the oldest missing quorum, in seconds; 0 while every newest checkpoint has met it. */
export function witnessedAgeSeconds(now = Date.now()): number {
  const oldest = Math.min(...unwitnessed.values(), now);
  return (now - oldest) / 1000;
}

/** Whether the quorum of an origin is known to be missing, and since when. */
export const isKnownUnwitnessed = (origin: string): boolean => unwitnessed.has(origin);

/**
 * Keeps what became of the newest checkpoint of an origin, for the metric.
 * @param since from when on its quorum is missing, in milliseconds; what is known already stays
 */
export function noteWitnessed(origin: string, isWitnessed: boolean, since = Date.now()): void {
  gauge(
    "trailmark_audit_witnessed_age_seconds",
    "Seconds for which the newest checkpoint of some organization has lacked the witnesses that the policy asks for",
    witnessedAgeSeconds,
  );
  if (isWitnessed) unwitnessed.delete(origin);
  else if (!unwitnessed.has(origin)) unwitnessed.set(origin, since);
}
