import type { Clock } from "@/components/audit/filters/typed-time";
import { excluding } from "@/components/audit/state/narrow";
import type { Filters } from "@/components/audit/state/view";
import { ACTIONS } from "@/server/audit/actions";
import { EXPORT_FORMATS } from "@/server/audit/export-formats";
import type { Exclusion, FilterName } from "@/server/audit/query/catalogue";
import { isAddress, joinValues, MAX_WORDS, splitTerms, termsOf } from "@/server/audit/query/values";
import type { ActorType, KnownName, NameKind } from "@/server/audit/vocabulary";
import { MAX_FILTER_LENGTH } from "@/server/ground/text";
import { applyQuery, type Parsed, parseQuery } from "./query-text";
import { extractQualified, extractSpoken, type Range } from "./spoken-time";
import { isLogWord, termFor, withPhraseTerms } from "./synonyms";

/** A rule's reading of a match: filter values or exclusions, and words with another meaning. */
type Reading = { filters: [FilterName, string][]; isExcluded?: true; rest?: string };
type Rule = readonly [pattern: RegExp, read: (match: readonly string[]) => Reading];

/** Whole words, in any case, in a line with single spaces. */
const words = (pattern: string): RegExp => new RegExp(`(?<=^| )(?:${pattern})(?= |$)`, "giu");
const states =
  (...filters: [FilterName, string][]) =>
  (): Reading => ({ filters });

const SOME = "(?:an? |the |any |some |all )?";
const THING = "(?:ip )?(address|ip|network|user agent|browser|place|location)(?:e?s)?";
const FIRST_SEEN = new Map([
  ["network", "network"],
  ["browser", "userAgent"],
  ["user agent", "userAgent"],
]);
const isFirstSeen = ([, thing = ""]: readonly string[]): Reading => ({
  filters: [["new", FIRST_SEEN.get(thing.toLowerCase()) ?? "address"]],
});

/** Words that are not names: "did it", "by the". */
const NOBODY =
  "who|what|when|where|which|why|how|it|that|this|these|those|the|an?|any|all|some|every|each|no|not|so|i|we|you|he|she|they|some ?(?:body|one)|any ?(?:body|one)|nobody|people|things?|first|new|users?|devices?|changes?";
/** Private-use characters stand for known names. */
const FIRST_MARK = 0xe000;
const MARKS = /[\uE000-\uEFFF]/g;
const WORD = "[\\p{L}\\uE000-\\uEFFF][\\p{L}\\d.@_+-]*";
const NAMES = `(?!(?:${NOBODY})(?: |$))(${WORD}(?: ${WORD}){0,2})`;

/**
 * The name at the start of some words: a known one, the capitalized words, or the first word. The remaining words are
 * kept.
 */
function isBy([, text = ""]: readonly string[]): Reading {
  if (isLogWord(text.split(" ")[0] ?? "")) return { filters: [], rest: ` ${text}` };
  const [name = text] = /^\p{Lu}\S*(?: \p{Lu}\S*)+|^\S+/u.exec(text) ?? [];
  return { filters: [["user", name]], rest: text.slice(name.length) };
}
const isByAll = ([, name = ""]: readonly string[]): Reading => ({ filters: [["user", name]] });

/** Actors by type: "by api keys", "did the system". */
const ACTOR_TYPES: readonly (readonly [type: ActorType, named: string])[] = [
  ["api_key", "(?:api )?keys?"],
  ["ai_agent", "ai(?: agents?)?"],
  ["agent", "agents?"],
  ["system", "system"],
  ["user", "(?:people|persons?|humans?|users?|staff)"],
];

/** Rules for a line, in order; text read by one is not read again. */
const RULES: readonly Rule[] = [
  [words(`as (?:${EXPORT_FORMATS.join("|")})`), states()],
  [words("(?:from|at|by|on) (?:which|what) (?:ip |ip )?(?:address|ip|network|device|browser)(?:es)?"), states()],
  [words(`(?:(?:from|at|with|by) )?${SOME}(?:new|unknown|unseen|unfamiliar|never[- ]seen) ${THING}`), isFirstSeen],
  [
    words(
      `(?:(?:from|at|with|by) )?${SOME}${THING} (?:(?:that (?:was|were) )?(?:never|not) (?:seen|used)|(?:he|she|they) (?:had )?never (?:used|had))(?: before| so far)?`,
    ),
    isFirstSeen,
  ],
  [
    words(
      "success(?:es|ful|fully)?|succe(?:ed|eds|eded)|worked|(?:did not|didn't|never) fail|without (?:errors?|failures?)",
    ),
    states(["result", "success"]),
  ],
  [words("(?:fail(?:ed|s|ing|ures?)?|unsuccessful(?:ly)?|errors?)(?: to)?"), states(["result", "failure"])],
  [
    words("(?:den(?:ied|ials?)|refus(?:ed|als?)|rejected|forbidden|unauthori[sz]ed|not (?:allowed|permitted))(?: to)?"),
    states(["result", "denied"]),
  ],
  [
    words("(?:but )?(?:not|except|excluding|without)(?: by| for| from| on)? ([\\uE000-\\uEFFF])"),
    ([, mark = ""]) => ({ filters: [["user", mark]], isExcluded: true }),
  ],
  ...ACTOR_TYPES.map(
    ([type, named]): Rule => [
      words(`(?:by|did|has|have) ${SOME}${named}|${SOME}${named}(?:'s?| did)`),
      states(["actorType", type]),
    ],
  ),
  [words(`(?:everything|anything|all|what|things) (?:that )?${NAMES} did`), isByAll],
  [words(`did ${NAMES} do`), isByAll],
  [words(`(?:was|is) ${NAMES} doing`), isByAll],
  [words(`(?:did|has|have) ${NAMES}`), isBy],
  [
    words(`(?!what|who|when|where|how|it|that|let|there|everyone|everybody)(\\p{L}[\\p{L}\\d.@_+-]*)(?:'s|(?<=s)')`),
    isByAll,
  ],
  [words(`by ${NAMES}`), isBy],
];

/** Words that are not searched for. */
const FILLER = words(
  "who|who's|often|someone|whom|whose|what|what's|whats|when|where|which|why|how|many|much|did|do|does|done|doing|was|were|is|are|be|been|being|has|have|had|happen|happens|happened|show|list|find|could|can|would|you|thanks?|made|make|makes|attempts?|give|gave|given|tell|me|us|i|we|you|he|she|they|his|her|their|my|our|need|want|know|see|please|pls|all|any|every|everything|anything|something|nothing|some ?body|some ?one|any ?body|any ?one|nobody|person|people|it|its|that|this|these|those|there|the|an?|of|on|in|at|by|from|to|for|and|or|but|with|about|into|as|just|only|also|again|ever|so|more|most|recent|recently|lately|latest|tried|try|came|come|comes|coming|went|got|get|gets|since|after|before|until|during|between|used|touched|entry|entries|activity|activities|actions?|things?|stuff",
);
const FIRST_WORD = /^(?:who|what|when|where|which|why|how|did|show|list|find|everything|anything|all)(?= |$)/i;

/** A line without punctuation; a comma becomes a separate word, because it ends a phrase. */
const plain = (line: string): string =>
  line
    .replace(/[?!;,:]+(?=\s|$)/g, " , ")
    .replace(/(?<=\p{L})\.(?=\s|$)/gu, " , ")
    .replace(/\s+/g, " ")
    .trim();

/** Filter stated by a single word: an address, or an action code. */
function readWord(word: string): Reading | null {
  if (isAddress(word) || /^(?:\d{1,3}\.){1,3}$/.test(word)) return { filters: [["ip", word]] };
  const codes = word.toLowerCase().split(",");
  return codes.every((code) => Object.hasOwn(ACTIONS, code))
    ? { filters: codes.map((code) => ["action", code]) }
    : null;
}

export type FindNames = (words: string[]) => Promise<readonly KnownName[]>;
/** A known name in a line: the typed words and their meaning. */
type Mark = { typed: string; kind: NameKind; value: string };

/** True if words name a thing: by its full name, or by an unambiguous part. */
const isCalled = ({ name, called }: KnownName, words: string): boolean =>
  name.toLowerCase() === words ||
  ((called.includes(words) || name.toLowerCase().startsWith(`${words} `)) && !words.split(" ").every(isLogWord));

/** Things that words name; several of one kind must share the name. */
function meaningOf(words: string, known: readonly KnownName[]): Mark | null {
  const called = known.filter((one) => isCalled(one, words.toLowerCase()));
  const [first] = called;
  if (!first) return null;
  const same = called.filter(({ kind }) => kind === first.kind);
  if (first.kind === "organization")
    return { typed: words, kind: first.kind, value: joinValues(same.map(({ id }) => id)) };
  // Entries may contain only jane@example.com, so the filter uses the typed words, not the found name.
  return { typed: words, kind: first.kind, value: same.length === 1 && first.kind === "device" ? first.name : words };
}

const MAX_NAME_WORDS = 3;
const POSSESSIVE = /(?<=\p{L}|\d)(?:'s?|s)$/u;

/** Replaces known names in a line by single characters, and maps these to their meaning. */
async function markNames(line: string, findNames: FindNames): Promise<{ text: string; marks: Mark[] }> {
  const all = line.split(" ");
  const candidates = all.filter((word) => /\p{L}/u.test(word) && !word.match(FILLER));
  const known =
    candidates.length > 0 ? await findNames(candidates.flatMap((word) => [word, word.replace(POSSESSIVE, "")])) : [];
  const marks: Mark[] = [];
  const text: string[] = [];
  for (let at = 0; at < all.length; ) {
    const taken = Array.from({ length: MAX_NAME_WORDS }, (_, n) => all.slice(at, at + MAX_NAME_WORDS - n)).find(
      (words) => {
        const typed = words.join(" ");
        const mark =
          meaningOf(typed, known) ?? (POSSESSIVE.test(typed) ? meaningOf(typed.replace(POSSESSIVE, ""), known) : null);
        if (mark)
          text.push(`${String.fromCharCode(FIRST_MARK + marks.push(mark) - 1)}${mark.typed === typed ? "" : "'s"}`);
        return mark;
      },
    );
    if (!taken) text.push(all[at] ?? "");
    at += taken?.length ?? 1;
  }
  return { text: text.join(" "), marks };
}

/** Words before a name that describe it. */
const SAID_OF_NAME =
  /(?<=^| )(?:(?:api )?key|device|host|computer|machine|customer|organi[sz]ation) (?=[\uE000-\uEFFF])/gi;
const FILTER_OF: Record<NameKind, FilterName> = { actor: "user", device: "device", organization: "orgId" };

/** True for an actor named first or after "from", unless it is the object: "was kim invited", "for kim". */
function isSubject(line: readonly string[], at: number): boolean {
  const [last = "", next = "", then = ","] = [line[at - 1], line[at + 1], line[at + 2]];
  if (/^from$/i.test(last)) return true;
  const isObject =
    /^(?:was|were|is|are|to|for|on|of|about|with)$/i.test(last) || (/^(?:was|were|got)$/i.test(next) && then !== ",");
  return (
    !isObject &&
    line.slice(0, at).every((word) => !/[\p{L}\d]/u.test(word) || (word.match(FILLER) && !/^who$/i.test(word)))
  );
}

/** The user's clock, and the look-up of names. */
export type Reader = { clock: Clock; findNames: FindNames };

/** Reads plain English as filters, a range, and remaining words. Quoted phrases stay literal. */
async function readPlain(
  line: string,
  { clock, findNames }: Reader,
): Promise<{ filters: Parsed; range: Range; q: string }> {
  const phrases = line.match(/"[^"]*"/g) ?? [];
  const { range, rest } = await extractSpoken(plain(line.replace(/"[^"]*"/g, ",")), clock);
  const read = new Map<FilterName, string[]>();
  const excluded: Exclusion[] = [];
  const { text: marked, marks } = await markNames(rest, findNames);
  const markAt = (letter: string) => marks[letter.charCodeAt(0) - FIRST_MARK];
  const unmarked = (text: string) => text.replace(MARKS, (letter) => markAt(letter)?.typed ?? "");
  const take = ({ filters, isExcluded, rest: left = "" }: Reading): string => {
    for (const [said, text] of filters) {
      const mark = said === "user" && text.length === 1 ? markAt(text) : undefined;
      const [name, value] = mark ? [FILTER_OF[mark.kind], mark.value] : [said, unmarked(text)];
      if (isExcluded) excluded.push({ name, value });
      else read.set(name, [...(read.get(name) ?? []), value]);
    }
    return `,${left}`;
  };
  const separate = (text: string, word: string) => {
    const reading = readWord(word);
    return `${text} ${reading ? take(reading) : word}`;
  };
  const open = marked.replace(SAID_OF_NAME, "").split(" ").reduce(separate, "").trim();
  const stated = RULES.reduce(
    (text, [pattern, meaning]) => text.replace(pattern, (...m: string[]) => take(meaning(m))),
    open,
  );
  const isNamed = (word: string, at: number, all: string[]) =>
    /^[\uE000-\uEFFF](?:'s)?$/.test(word) && (markAt(word)?.kind !== "actor" || isSubject(all, at));
  const left = stated
    .split(" ")
    .map((word, at, all) => (isNamed(word, at, all) ? take({ filters: [["user", word.slice(0, 1)]] }) : unmarked(word)))
    .join(" ");
  const found = splitTerms(withPhraseTerms(left).replace(FILLER, "")).filter((word) => /[\p{L}\d]/u.test(word));
  const isRead = read.size + excluded.length > 0 || Object.keys(range).length > 0 || FIRST_WORD.test(line);
  const meant = [...found.map((term) => (/["|]/.test(term) ? term : termFor(term))), ...phrases].join(" ");
  const literal = [...found, ...phrases].join(" ");
  const fits = meant.length <= MAX_FILTER_LENGTH && termsOf(meant).flat().length <= MAX_WORDS;
  return {
    filters: {
      ...Object.fromEntries([...read].map(([name, values]) => [name, joinValues(values)])),
      ...excluding(excluded),
    },
    range,
    q: literal || isRead ? (fits ? meant : literal) : line,
  };
}

/**
 * View change for a typed line: times, actors, results, addresses and codes become filters anywhere; the remaining
 * words are searched. Qualifiers stay literal.
 */
export async function readLine(view: Partial<Filters>, typed: string, reader: Reader): Promise<Parsed> {
  const straight = typed.replace(/[‘’]/g, "'").replace(/[“”]/g, '"');
  const { range, rest } = await extractQualified(straight, reader.clock);
  const { q, ...qualified } = parseQuery(rest);
  const read = await readPlain(q ?? "", reader);
  const isLiteral = read.q === (q ?? "");
  const stated = applyQuery(view, read.filters);
  return {
    ...stated,
    ...applyQuery({ ...view, ...stated }, { ...qualified, q: read.q || null }),
    ...read.range,
    ...range,
    typed: isLiteral ? null : typed,
  };
}
