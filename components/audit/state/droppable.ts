import type { Catalogue } from "@/server/audit/query/catalogue";
import { FILTERS } from "@/server/audit/query/catalogue";
import { FROM_START, type View } from "./address";
import { chipsOf } from "./describe-filters";
import { hideRoutine, hidesRoutine } from "./narrow";
import { PRESET_LABEL } from "./range";

/** A filter that could be dropped, and the view change that drops it. */
export type Droppable = { key: string; label: string; change: Partial<View> };

/** Splits the text into words and quoted phrases. */
const typedWords = (text: string): string[] => text.match(/"[^"]*"|\S+/g) ?? [];

/** Everything that could be dropped to find more: each word, each filter, the range. */
export function droppableFilters(
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
