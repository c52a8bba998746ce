import { type Clock, findTime, parseTime } from "@/components/audit/filters/typed-time";
import type { Span } from "@/components/audit/state/range";
import type { Filters } from "@/components/audit/state/view";
import { EXPORT_FORMATS } from "@/server/audit/vocabulary";
import { applyQuery, type Parsed } from "./query-text";

const TIME = /(?:^|(?<=\s))(on|after|before):(?:"([^"]+)"|(\S+))/gi;
const QUESTION = /^\s*(who|what|when|where|which|why|how|did|show|list|find|everything|anything)\b/i;
/** Words of a question that are not searched for. */
const FILLERS =
  /^(who|what|when|where|which|why|how|many|much|did|do|does|done|was|were|is|are|has|have|had|been|happened|show|list|find|me|all|any|everything|anything|something|it|that|this|the|an?|of|on|in|at|by|from|to|for|and|or|with|address|addresses|ip|entry|entries)$/i;
/** "everything Jane did", "what did Jane do": filters by actor instead of searching for the name. */
const ACTOR =
  /\b(?:everything|anything|all|what) ((?:[\p{L}\d.@_-]+ ){1,3})did\b|\bdid ((?:[\p{L}\d.@_-]+ ){1,3})do\b/iu;
/** "… as csv": the export is a separate step. */
const FORMAT = new RegExp(`,? as (?:${EXPORT_FORMATS.join("|")})\\s*$`, "i");
/** Means either result: no entry is both failed and denied. */
const FAILED_OR_DENIED = /\b(?:failed or (?:(?:was|were) )?denied|(?:was |were )?denied or failed)\b/i;

/** A question without fillers, punctuation and quotes. */
const significantWords = (question: string): string =>
  question
    .replace(/[?,;!]+(?=\s|$)/g, " ")
    .split(/\s+/)
    .filter((word) => word && !FILLERS.test(word))
    .join(" ");

/** Turns the grammar of a question into qualifiers, followed by its remaining words. */
function toQualifiers(question: string): string {
  const [who = "", ...names] = ACTOR.exec(question) ?? [];
  const actor = names.find(Boolean)?.trim();
  const [either = ""] = FAILED_OR_DENIED.exec(question) ?? [];
  const rest = significantWords(question.replace(FORMAT, " ").replace(who, " ").replace(either, " "));
  return [actor && `actor:"${actor}"`, either && "result:failure,denied", rest].filter(Boolean).join(" ");
}

type Range = Pick<Partial<Filters>, "range" | "from" | "to">;

/** The end of a range that a preposition sets: the start, the end, or both. */
function rangeFor(word: string, { from, to }: Span): Range {
  if (/^before$/i.test(word)) return from ? { to: new Date(from.getTime() - 1) } : {};
  if (/^until$/i.test(word)) return { to: to ?? from ?? null };
  return /^(after|since)$/i.test(word) ? { from: from ?? null } : { from: from ?? null, to: to ?? null };
}

/** Extracts the range that time qualifiers set. A qualifier whose value is no time stays in the text. */
async function extractTimes(typed: string, clock: Clock): Promise<{ range: Range; rest: string }> {
  const range: Range = {};
  let rest = typed;
  for (const [whole, name = "", phrase, word] of typed.matchAll(TIME)) {
    const span = await parseTime(phrase ?? word ?? "", clock);
    if (!span?.from) continue;
    Object.assign(range, rangeFor(name, span));
    rest = rest.replace(whole, " ");
  }
  return { range: completeRange(range), rest };
}

/** A range with one end leaves the other open and replaces a preset. */
const completeRange = (range: Range): Range =>
  Object.keys(range).length > 0 ? { from: null, to: null, ...range, range: null } : {};

/** Extracts the range that a question states in words. */
async function extractSpoken(question: string, clock: Clock): Promise<{ range: Range; rest: string }> {
  const found = await findTime(question, clock);
  if (!found) return { range: {}, rest: question };
  const before = question.slice(0, found.index);
  const [lead = "", word = ""] = /\b(since|after|before|until)\s+$/i.exec(before) ?? [];
  const rest = before.slice(0, before.length - lead.length) + question.slice(found.end);
  return { range: completeRange(rangeFor(word, found.span)), rest };
}

/**
 * The view change for a typed line: filters, words, and a range. A question in plain English is searched for a time, an
 * actor, a result and the words to search for.
 */
export async function readLine(view: Partial<Filters>, typed: string, clock: Clock): Promise<Parsed> {
  const { range, rest } = await extractTimes(typed, clock);
  if (!QUESTION.test(rest)) return { ...applyQuery(view, rest), ...range };
  const spoken = await extractSpoken(rest, clock);
  return { ...applyQuery(view, toQualifiers(spoken.rest)), ...range, ...spoken.range };
}
