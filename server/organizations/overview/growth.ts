import type { LogFacts } from "./log-facts";
import type { OrganizationOverview } from "./schema";

type Growth = OrganizationOverview["growth"]["month"];
type Facts = Pick<LogFacts, "head" | "createdAt" | "firstSize" | "firstSignedAt">;
/** The last checkpoint before the window began, and when the first entry behind it was recorded. */
type Base = { size: number | null; nextAt: number | null };

/**
 * How many entries were recorded since a time: those that the last checkpoint before it did not cover. An organization
 * that is younger is counted from its beginning, one whose checkpoints are from the first of them; the time is then
 * theirs. Null where no checkpoint says.
 */
export function growthOf({ head, createdAt, firstSize, firstSignedAt }: Facts, base: Base, from: number): Growth {
  const counted = (size: number, since: number): Growth => ({
    entries: Math.max(0, head - size),
    since: new Date(since).toISOString(),
  });
  // While no checkpoint was signed, entries wait for one: then they are from before the window.
  if (base.size !== null) return counted(base.size, Math.min(from, base.nextAt ?? from));
  if (createdAt > from) return counted(0, createdAt);
  return firstSize !== null && firstSignedAt !== null ? counted(firstSize, firstSignedAt) : null;
}
