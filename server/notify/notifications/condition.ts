import { KINDS, type NotificationKind } from "@/server/notify/vocabulary";

/** The open row of an organization and a kind. raisedAt null: seen, but not yet for long enough. */
export type Open = { since: Date; observedAt: Date; raisedAt: Date | null };

/** Whether the condition holds, and when that was seen. */
type Observation = { holds: boolean; now: Date };

/** What happens to a condition in one evaluation. */
export type Step =
  | { do: "nothing" }
  | { do: "begin"; isRaised: boolean }
  | { do: "wait"; since: Date }
  | { do: "raise"; since: Date }
  | { do: "forget" }
  | { do: "resolve" };

/** Two evaluations further apart than this did not watch what lay between them. */
const WATCH_GAP_MS = 5 * 60_000;

function waiting(kind: NotificationKind, open: Open, now: Date): Step {
  const { holdsMs, isWatched } = KINDS[kind];
  const wasWatched = !isWatched || now.getTime() - open.observedAt.getTime() <= WATCH_GAP_MS;
  const since = wasWatched ? open.since : now;
  return now.getTime() - since.getTime() >= holdsMs ? { do: "raise", since } : { do: "wait", since };
}

/**
 * The state machine of one organization and kind: nothing, seen, raised, resolved. It reports once when a condition has
 * held for long enough, and once when it is over; one that was not reported is forgotten without a word.
 * @param open null when no row is open
 */
export function stepOf(kind: NotificationKind, open: Open | null, { holds, now }: Observation): Step {
  if (!open) return holds ? { do: "begin", isRaised: KINDS[kind].holdsMs === 0 } : { do: "nothing" };
  if (open.raisedAt) return holds ? { do: "nothing" } : { do: "resolve" };
  return holds ? waiting(kind, open, now) : { do: "forget" };
}
