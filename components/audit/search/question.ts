import type { Filters } from "@/components/audit/filters/address";
import { type Clock, findTime, parseTime } from "@/components/audit/filters/typed-time";
import { applyQuery, type Parsed } from "./query-text";

/** Qualifiers of time: they set the range. */
export const TIME_QUALIFIERS = {
  on: "a day or a span: yesterday, last tuesday, oct 2026, 2026-11-18",
  after: "from the beginning of a day or span on, or from an instant",
  before: "up to the beginning of a day or span, or to an instant",
} as const;

const TIME = /(?:^|(?<=\s))(on|after|before):(?:"([^"]+)"|(\S+))/gi;
const ASKS = /^\s*(who|what|when|where|which|why|how|did|show|list|find)\b/i;
/** Words of a question that no entry has to hold. */
const FILLERS =
  /^(who|what|when|where|which|why|how|did|do|does|was|were|is|are|has|have|had|show|list|find|me|all|any|everything|that|this|the|an?|of|on|in|at|by|from|to|for|and|with|address|addresses|ip|entries)$/i;

/** A question's words without the fillers, signs and quotes around them kept out. */
const bare = (question: string): string =>
  question
    .replace(/[?,;!]+(?=\s|$)/g, " ")
    .split(/\s+/)
    .filter((word) => word && !FILLERS.test(word))
    .join(" ");

type Range = Pick<Partial<Filters>, "range" | "from" | "to">;

/** The range that the qualifiers of time mean, and what is typed without them; one that is no time stays text. */
async function takeTimes(typed: string, clock: Clock): Promise<{ range: Range; rest: string }> {
  const range: Range = {};
  let rest = typed;
  for (const [whole, name = "", phrase, word] of typed.matchAll(TIME)) {
    const span = await parseTime(phrase ?? word ?? "", clock);
    if (!span?.from) continue;
    const qualifier = name.toLowerCase();
    if (qualifier === "before") range.to = new Date(span.from.getTime() - 1);
    else range.from = span.from;
    if (qualifier === "on") range.to = span.to ?? null;
    rest = rest.replace(whole, " ");
  }
  return { range: Object.keys(range).length > 0 ? { from: null, to: null, ...range, range: null } : {}, rest };
}

/**
 * The change of the address that a typed line makes: filters, words, and a range where it names times. A question in
 * plain words is read for its time and the words that an entry holds.
 */
export async function readLine(view: Partial<Filters>, typed: string, clock: Clock): Promise<Parsed> {
  const { range, rest } = await takeTimes(typed, clock);
  if (!ASKS.test(rest)) return { ...applyQuery(view, rest), ...range };
  const time = await findTime(rest, clock);
  const asked = applyQuery(view, bare(time?.rest ?? rest));
  return { ...asked, ...range, ...(time && { range: null, from: time.span.from ?? null, to: time.span.to ?? null }) };
}
