import type { Catalogue } from "@/server/audit/query/catalogue";
import { FILTERS } from "@/server/audit/query/catalogue";
import { FROM_START, type View } from "./address";
import { chipsOf } from "./in-words";
import { hideRoutine, hidesRoutine } from "./narrow";
import { PRESET_LABEL } from "./range";

/** One of the things that narrow a view, and the change that gives it up. */
export type Droppable = { key: string; label: string; change: Partial<View> };

/** The words of a text as they are typed, quotes included. */
const typedWords = (text: string): string[] => text.match(/"[^"]*"|\S+/g) ?? [];

/** What could be left out to find more: each word, each filter, the range. */
export function droppableIn(
  view: View,
  names?: ReadonlyMap<string, string>,
  catalogue: Catalogue = FILTERS,
): Droppable[] {
  const words = typedWords(view.q ?? "");
  const ofWords = words.map((word, at) => ({
    key: `${at} ${word}`,
    label: word,
    change: { q: words.toSpliced(at, 1).join(" ") || null, ...FROM_START },
  }));
  const ofFilters = chipsOf(view, names, catalogue)
    .filter(({ key }) => key !== "q")
    .map(({ key, name, value, clear }) => ({ key, label: `${name}: ${value}`, change: clear }));
  const hasRange = view.range !== null || view.from !== null || view.to !== null;
  const range = view.range ? PRESET_LABEL[view.range] : "the time range";
  return [
    ...ofWords,
    ...ofFilters,
    ...(hasRange ? [{ key: "range", label: range, change: { range: null, from: null, to: null, ...FROM_START } }] : []),
    ...(hidesRoutine(view)
      ? [{ key: "routine", label: "Hide routine agent telemetry", change: hideRoutine(view, false) }]
      : []),
  ];
}
