import { invalidQualifiers } from "@/components/audit/search/invalid-qualifiers";
import { byQualifier, parseQuery } from "@/components/audit/search/query-text";
import { exclusionsOf } from "@/components/audit/state/view";
import { FILTERS, type Filter } from "@/server/audit/query/catalogue";
import { joinValues, splitValues } from "@/server/audit/query/values";

type Kept = Readonly<Record<string, unknown>>;
/** routine: whether agents' telemetry is omitted. rest: members that only the API sets, kept as is. */
type Shown = { text: string; routine: boolean; rest: Kept };

const textOf = (value: unknown): string => {
  if (Array.isArray(value)) return joinValues(value.map(String));
  return typeof value === "string" ? value : "";
};
const quoted = (value: string) => (/\s/.test(value) && !value.includes('"') ? `"${value}"` : value);
const listed = (value: unknown) => splitValues(textOf(value)).map(quoted).join(",");

/** Filter by name, if the search box has a word for it. */
function wordFor(name: string, isNegated = false): string | null {
  const { qualifier }: Filter = new Map<string, Filter>(Object.entries(FILTERS)).get(name) ?? {
    label: "",
    match: "exact",
  };
  return qualifier && byQualifier(qualifier, isNegated)?.[0] === name ? qualifier : null;
}

/** A stream's filter in search box syntax. */
export function toText({ q, routine, exclude, excludeActions, ...filters }: Kept): Shown {
  const excluded = exclusionsOf({ exclude: textOf(exclude), excludeActions: textOf(excludeActions) });
  const isTyped = excluded.every(({ name }) => name === "q" || wordFor(name, true));
  const parts = Object.keys(filters).flatMap((name) => {
    const word = wordFor(name);
    return word ? [`${word}:${listed(filters[name])}`] : [];
  });
  const minus = excluded.map(({ name, value }) =>
    name === "q" ? `-${value}` : `-${wordFor(name, true)}:${quoted(value)}`,
  );
  return {
    text: [...parts, ...(isTyped ? minus : []), textOf(q)].filter(Boolean).join(" "),
    routine: routine === "without",
    rest: {
      ...Object.fromEntries(Object.entries(filters).filter(([name]) => !wordFor(name))),
      ...(routine !== undefined && routine !== "without" && { routine }),
      ...(!isTyped && { exclude, excludeActions }),
    },
  };
}

/** Filter of a typed text, without unset members. */
export function toFilter({ text, routine, rest }: Shown): Record<string, unknown> {
  const typed = Object.entries(parseQuery(text)).filter(([, value]) => value !== null && value !== undefined);
  return { ...rest, ...Object.fromEntries(typed), ...(routine && { routine: "without" }) };
}

/** Fault of a typed filter, as a sentence; null if valid. */
export function faultOfText(text: string): string | null {
  const [fault] = invalidQualifiers(parseQuery(text).q ?? "");
  if (!fault) return null;
  const { part, reason, instead } = fault;
  return `${part} ${reason}${instead ? `; try ${instead}` : ""}`;
}
