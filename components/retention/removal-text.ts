import { counted } from "@/components/format/amounts";

/** Shown without an admin connection: no run removes audit entries, whatever the policies. */
export const PRUNING_OFF = "Nothing is removed while pruning is off in this installation.";

/** Start of a sentence about a preview, followed by an amount or "nothing". */
export const wouldRemove = (pruningEnabled: boolean): string =>
  pruningEnabled ? "The next run would remove" : `${PRUNING_OFF} If it were on, the next run would remove`;

/** before: current retention in days; null without a policy. */
type Shorter = { name: string; before: number | null; days: number; pruningEnabled: boolean };

/** Effect of a shorter period on an organization's entries. */
export function shorterText({ name, before, days, pruningEnabled }: Shorter): string {
  const after = counted(days, "day");
  const kept =
    before === null ? `Nothing of ${name} has been deleted so far.` : `${name} keeps ${counted(before, "day")} now.`;
  if (!pruningEnabled)
    return `${kept} Once pruning is on, entries older than ${after} are deleted and cannot be restored.`;
  return before === null
    ? `${kept} From now on, entries older than ${after} are deleted every day.`
    : `${kept} With ${after}, older entries are deleted at the next run and cannot be restored.`;
}

/** "1 event", "more than 100,000 events": rows counted up to a limit. */
export const expiredText = (
  { rows, isAtLeast }: { rows: number; isAtLeast: boolean },
  one: string,
  many?: string,
): string => `${isAtLeast ? "more than " : ""}${counted(rows, one, many)}`;
