import type { Entry } from "@/components/audit/entry";
import { dayName } from "@/components/format/time";
import type { Outputs } from "@/components/trpc";
import { groupBy } from "@/server/records";

/** Routine telemetry of a day that the server counted instead of listing it. */
export type RoutineFold = Outputs["audit"]["routine"]["folds"][number];

/** What one line of the list shows. Folds hold only what succeeded; the key of one stays while entries are added on top. */
export type Line =
  | { kind: "entry"; key: string; entry: Entry }
  | { kind: "repeat"; key: string; entries: Entry[]; isCut: boolean }
  | { kind: "routine"; key: string; fold: RoutineFold };
export type Day = { name: string; lines: Line[] };

/** Fewer repeats than this are worth their lines. */
const LEAST_REPEATS = 3;

/** Where the page's list continues: a repeat that touches such an end may have more entries than the page shows. */
export type Ends = { hasNewer: boolean; hasOlder: boolean };

/** Same actor, same act, same target, done; the organization may differ. */
const isRepeat = (a: Entry, b: Entry): boolean =>
  a.result === "success" &&
  b.result === "success" &&
  a.action === b.action &&
  a.actorType === b.actorType &&
  a.user.id === b.user.id &&
  a.user.name === b.user.name &&
  a.resource.type === b.resource.type &&
  a.resource.name === b.resource.name &&
  (a.resource.id === b.resource.id || a.orgId !== b.orgId);

const single = (entry: Entry): Line => ({ kind: "entry", key: entry.id, entry });

/** Runs of neighbours that repeat each other, as they stand in the list. */
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
const dayOf = (at: string, { zone, now }: Reader): string => dayName(at, zone, now);

/** The lines of one day's entries: each alone, or repeats as one. */
function linesOf(entries: Entry[], isFolding: boolean, isAtEnd: (entry: Entry) => boolean): Line[] {
  if (!isFolding) return entries.map(single);
  return runsOf(entries).flatMap((run): Line[] => {
    const oldest = run.at(-1);
    if (!oldest || run.length < LEAST_REPEATS) return run.map(single);
    return [{ kind: "repeat", key: oldest.id, entries: run, isCut: run.some(isAtEnd) }];
  });
}

type Options = { entries: Entry[]; routine: readonly RoutineFold[]; isFolding: boolean; ends: Ends; reader: Reader };

/**
 * The list as lines under a heading per day of the reader's zone, newest first: entries, repeats next to each other as one
 * line, and routine telemetry where its newest entry belongs. Failures and denials are never folded.
 */
export function daysOf({ entries, routine, isFolding, ends, reader }: Options): Day[] {
  const [newest, oldest] = [entries[0], entries.at(-1)];
  const isAtEnd = (entry: Entry) => (ends.hasNewer && entry === newest) || (ends.hasOlder && entry === oldest);
  const byDay = groupBy(entries, (entry) => dayOf(entry.timestamp, reader));
  const days = [...byDay].map(([name, of]): Day => ({ name, lines: linesOf(of, isFolding, isAtEnd) }));
  for (const fold of routine) {
    const line: Line = { kind: "routine", key: `routine ${fold.first}`, fold };
    const name = dayOf(fold.last, reader);
    const day = days.find((one) => one.name === name);
    if (day) {
      const at = day.lines.findIndex((other) => newestOf(other) < fold.last);
      day.lines.splice(at < 0 ? day.lines.length : at, 0, line);
    } else days.push({ name, lines: [line] });
  }
  const newestIn = ({ lines }: Day) => (lines[0] ? newestOf(lines[0]) : "");
  return days.sort((a, b) => (newestIn(a) < newestIn(b) ? 1 : -1));
}

/** In how many organizations a repeat happened. */
export const organizationsIn = (entries: Entry[]): number => new Set(entries.map(({ orgId }) => orgId)).size;
