import { type Clock, parseTime } from "@/components/audit/filters/typed-time";
import type { Span } from "@/components/audit/state/range";
import type { Filters } from "@/components/audit/state/view";
import { HOUR_MS, MINUTE_MS } from "@/server/ground/time/durations";

export type Range = Pick<Partial<Filters>, "range" | "from" | "to">;

const QUALIFIED = /(?:^|(?<=\s))(on|after|before):(?:"([^"]+)"|(\S+))/gi;

/** Length of an instant after "at": an hour or a minute. */
const lengthAt = (at: Date): number => (at.getTime() % HOUR_MS === 0 ? HOUR_MS : MINUTE_MS);

/** Range set by a preposition: the start, the end, or both. */
function rangeFor(word: string, { from, to }: Span): Range {
  if (word === "before") return from ? { to: new Date(from.getTime() - 1) } : {};
  if (word === "until" || word === "till") return { to: to ?? from ?? null };
  if (word === "after" || word === "since") return { from: from ?? null };
  if (!from || to) return { from: from ?? null, to: to ?? null };
  if (word === "at") return { from, to: new Date(from.getTime() + lengthAt(from) - 1) };
  if (word === "around" || word === "about")
    return { from: new Date(from.getTime() - HOUR_MS / 2), to: new Date(from.getTime() + HOUR_MS / 2) };
  return { from, to: null };
}

/** A range with one end leaves the other open and replaces a preset. */
const completed = (range: Range): Range =>
  Object.keys(range).length > 0 ? { from: null, to: null, ...range, range: null } : {};

type Extracted = { range: Range; rest: string };

/** Extracts the range set by time qualifiers. A qualifier with an invalid time stays in the text. */
export async function extractQualified(typed: string, clock: Clock): Promise<Extracted> {
  const range: Range = {};
  let rest = typed;
  for (const [whole, name = "", phrase, word] of typed.matchAll(QUALIFIED)) {
    const span = await parseTime(phrase ?? word ?? "", clock);
    if (!span?.from) continue;
    Object.assign(range, rangeFor(name.toLowerCase(), span));
    rest = rest.replace(whole, " ");
  }
  return { range: completed(range), rest };
}

/** Words that can start a time. */
const BEGINS =
  /^(?:\d.*|to(?:day|morrow|night)|yesterday|this|last|past|previous|an?|one|two|three|four|five|six|seven|ten|noon|midnight|between|mon(?:day)?|tue(?:sday)?|wed(?:nesday)?|thu(?:rsday)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t|tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|morning|afternoon|evening|night|weekend|hour)$/i;
/** Words and numbers that are times only after a preposition: "on sun", "since 9", "in 2026". */
const OFTEN_NOT_A_TIME = /^(?:sun|sat|mon|mar|may|hour|night|second|\d{1,4}|\d+\/\d+)$/i;
const LEAD =
  /(?:^|(?<!(?:^| )(?:sign|log|turn|switch)[a-z]*) )((?:in|on|at|from|during|over|within|for|of|since|after|before|until|till|around|about|by))?(?: the)?$/i;
/** One more than the words of "between 18 nov 9:30 and 18 nov 10:15". */
const MAX_WORDS = 8;

/** Words before an hour: "since 9". */
const SETS_TIME = /^(?:since|after|before|until|till|at)$/;

type Mention = { text: string; lead: string; span: Span };

/** Time of some words after an optional preposition. */
async function timeOf(text: string, lead: string, clock: Clock): Promise<Span | null> {
  if (/^\d{1,2}$/.test(text) && SETS_TIME.test(lead)) return parseTime(`${text}:00`, clock);
  if (/^\d{4,9} /.test(text)) return null;
  const [, hour = "", day = ""] = /^(\d{1,2}) ([a-z].+)$/i.exec(text) ?? [];
  const at = hour && SETS_TIME.test(lead) ? await parseTime(`${day} ${hour}:00`, clock) : null;
  if (at && !at.to) return at;
  if (OFTEN_NOT_A_TIME.test(text) && (!lead || /^\d{1,3}$/.test(text))) return null;
  return parseTime(text, clock);
}

/** Extracts the first time from a line, using as many words as possible. */
async function takeTime(line: string, clock: Clock): Promise<{ mention: Mention; rest: string } | null> {
  const all = line.split(" ");
  for (const at of all.keys()) {
    if (!BEGINS.test(all[at]?.replace(/'s?$/, "") ?? "")) continue;
    const before = all.slice(0, at).join(" ");
    const [leading = "", lead = ""] = LEAD.exec(before) ?? [];
    for (let end = Math.min(all.length, at + MAX_WORDS); end > at; end--) {
      const text = all.slice(at, end).join(" ").replace(/'s?$/, "");
      const span = text.includes(",") ? null : await timeOf(text, lead.toLowerCase(), clock);
      if (!span) continue;
      const said = / at /i.test(text) ? "at" : lead.toLowerCase();
      const rest = [before.slice(0, before.length - leading.length), ",", ...all.slice(end)].filter(Boolean).join(" ");
      return { mention: { text, lead: said, span }, rest };
    }
  }
  return null;
}

function covering(ranges: readonly Range[]): Range {
  const [from] = ranges.flatMap((range) => range.from ?? []).sort((a, b) => a.getTime() - b.getTime());
  const to = ranges
    .flatMap((range) => range.to ?? [])
    .sort((a, b) => a.getTime() - b.getTime())
    .at(-1);
  return { from: from ?? null, to: to ?? null };
}

const SETS_ONE_END = /^(?:since|after|before|until|till)$/;

/** Extracts the range stated in words anywhere: "yesterday", "9 to 10" and "since monday". */
export async function extractSpoken(line: string, clock: Clock): Promise<Extracted> {
  const mentions: Mention[] = [];
  let rest = line;
  for (let taken = await takeTime(rest, clock); taken; taken = await takeTime(rest, clock)) {
    mentions.push(taken.mention);
    rest = taken.rest;
  }
  const spans = mentions.filter(({ lead }) => !SETS_ONE_END.test(lead));
  const joined = spans.length > 1 ? await parseTime(spans.map(({ text }) => text).join(" "), clock) : null;
  const ranges = mentions.map(({ lead, span }) => rangeFor(lead, span));
  const range = joined ? rangeFor("", joined) : spans.length > 1 ? covering(ranges) : Object.assign({}, ...ranges);
  return { range: completed(range), rest };
}
