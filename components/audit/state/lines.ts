import type { Entry } from "@/components/audit/entry";
import { dayName, shortDate } from "@/components/format/time";
import type { Outputs } from "@/components/trpc";
import { groupBy } from "@/server/ground/records";

/** Routine telemetry of one day, counted by the server instead of listed. */
export type RoutineFold = Outputs["audit"]["routine"]["folds"][number];

/** One line of the list. Folds contain only successes. A fold's key is stable when entries are added on top. */
export type Line =
  | { kind: "entry"; key: string; entry: Entry }
  | { kind: "repeat"; key: string; entries: Entry[]; isTruncated: boolean }
  | { kind: "routine"; key: string; fold: RoutineFold };
/** The date identifies the day; its name is another after midnight. */
export type Day = { date: string; name: string; lines: Line[] };

/** Shorter runs are not folded. */
const MIN_REPEATS = 3;

/** Whether more pages follow at either end: a repeat at such an end may continue on the next page. */
type Ends = { hasNewer: boolean; hasOlder: boolean };

/** Same actor, action, target and source, both successful; the organization may differ. */
const isRepeat = (a: Entry, b: Entry): boolean =>
  a.result === "success" &&
  b.result === "success" &&
  a.action === b.action &&
  a.actorType === b.actorType &&
  a.user.id === b.user.id &&
  a.user.name === b.user.name &&
  a.submittedBy?.keyId === b.submittedBy?.keyId &&
  a.resource.type === b.resource.type &&
  a.resource.name === b.resource.name &&
  (a.resource.id === b.resource.id || a.orgId !== b.orgId);

const single = (entry: Entry): Line => ({ kind: "entry", key: entry.id, entry });

/** Groups adjacent entries that repeat each other. */
function runsOf(entries: Entry[]): Entry[][] {
  const runs: Entry[][] = [];
  for (const entry of entries) {
    const run = runs.at(-1);
    if (run?.[0] && isRepeat(run[0], entry)) run.push(entry);
    else runs.push([entry]);
  }
  return runs;
}

const newestOf = (line: Line): string =>
  line.kind === "routine" ? line.fold.last : ((line.kind === "entry" ? line.entry : line.entries[0])?.timestamp ?? "");

type Reader = { zone: string; now: Date };
const dayOf = (at: string, { zone, now }: Reader): Omit<Day, "lines"> => ({
  date: shortDate(at, zone),
  name: dayName(at, zone, now),
});

/** The lines of one day's entries: single entries and folded repeats. */
function linesOf(entries: Entry[], isFolding: boolean, isAtEnd: (entry: Entry) => boolean): Line[] {
  if (!isFolding) return entries.map(single);
  return runsOf(entries).flatMap((run): Line[] => {
    const oldest = run.at(-1);
    if (!oldest || run.length < MIN_REPEATS) return run.map(single);
    return [{ kind: "repeat", key: oldest.id, entries: run, isTruncated: run.some(isAtEnd) }];
  });
}

type Options = { entries: Entry[]; routine: readonly RoutineFold[]; isFolding: boolean; ends: Ends; reader: Reader };

/**
 * The lines of the list under one heading per day in the display zone, newest first: entries, adjacent repeats as one
 * line, and routine telemetry at the time of its newest entry. Failures and denials are never folded.
 */
export function daysOf({ entries, routine, isFolding, ends, reader }: Options): Day[] {
  const [newest, oldest] = [entries[0], entries.at(-1)];
  const isAtEnd = (entry: Entry) => (ends.hasNewer && entry === newest) || (ends.hasOlder && entry === oldest);
  const byDay = groupBy(entries, (entry) => shortDate(entry.timestamp, reader.zone));
  const days = [...byDay.values()].map(
    (of): Day => ({ ...dayOf(of[0].timestamp, reader), lines: linesOf(of, isFolding, isAtEnd) }),
  );
  for (const fold of routine) {
    const line: Line = { kind: "routine", key: `routine ${shortDate(fold.last, reader.zone)}`, fold };
    const named = dayOf(fold.last, reader);
    const day = days.find(({ date }) => date === named.date);
    if (day) {
      const at = day.lines.findIndex((other) => newestOf(other) < fold.last);
      day.lines.splice(at < 0 ? day.lines.length : at, 0, line);
    } else days.push({ ...named, lines: [line] });
  }
  const newestIn = ({ lines }: Day) => (lines[0] ? newestOf(lines[0]) : "");
  return days.sort((a, b) => (newestIn(a) < newestIn(b) ? 1 : -1));
}

export const organizationsIn = (entries: Entry[]): number => new Set(entries.map(({ orgId }) => orgId)).size;
