import { z } from "zod";
import { isOneLine, MAX_FILTER_LENGTH } from "./text";
import { isInBounds } from "./time/bounds";
import { DAY_MS } from "./time/durations";
import { isZone } from "./time/wall-clock";

/** Zod atoms shared by several domains; others are in their domain's schema. Isomorphic. */

/** No list has this many pages. */
const MAX_PAGE = 1_000_000_000;
const ADMIN_PAGE_LIMIT = 50;
const MAX_ADMIN_PAGE_LIMIT = 100;

/** PostgreSQL counts characters, JavaScript UTF-16 units: an emoji is one and two. */
const fits = (text: string, max: number): boolean =>
  text.length <= max || (text.length <= 2 * max && [...text].length <= max);

/** Text limited to its column's length. */
export const columnText = (max: number) => z.string().refine((s) => fits(s, max), `is longer than ${max} characters`);

/** A UUID, converted to lowercase (RFC 9562, section 4): scopes and origins compare text. */
export const guid = z.guid().toLowerCase();

/** Nonblank column text, kept as is. */
export const filledText = (max: number) => columnText(max).refine((text) => text.trim() !== "", "is blank");

/** Nonblank column text, trimmed. */
export const trimmedText = (max: number) =>
  columnText(max)
    .transform((text) => text.trim())
    .refine((text) => text !== "", "is blank");

/** Refines text to one line: in a mail, file or sentence it must not start another. */
const ONE_LINE = [isOneLine, "must not hold line breaks or other control characters"] as const;

/** A trimmed name. */
export const nameText = (max: number) => trimmedText(max).refine(...ONE_LINE);

/** Name reported by a machine, kept as is. */
export const hostText = (max: number) => filledText(max).refine(...ONE_LINE);

export const displayName = nameText(255);

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
const ISO_TIME = /^(\d{4}-\d\d-\d\dt\d\d:\d\d)(:\d\d(?:\.\d+)?)?(?:z|([+ -]\d\d)(?::?(\d\d))?)$/i;

/**
 * Converts ISO 8601 extended format to RFC 3339: seconds, minutes of the zone and its colon are optional. Comma
 * fractions, 24:00, leap seconds and the basic format are refused; a bare + arrives as a space.
 */
function toRfc3339(text: string): string {
  if (RFC_3339.test(text)) return text;
  const [, minute, second = ":00", hours, minutes = "00"] = ISO_TIME.exec(text) ?? [];
  if (minute === undefined) return text;
  return `${minute.toUpperCase()}${second}${hours ? `${hours.replace(" ", "+")}:${minutes}` : "Z"}`;
}

const NO_TIME = "is not an ISO 8601 time with its zone, such as 2026-11-20T14:00:00Z";

/** Part of a time finer than a millisecond, which a Date cannot hold. */
const finerThanMs = new WeakMap<Date, number>();

function toDate(text: string): Date {
  const date = new Date(text);
  const digits = /\.\d{3}(\d+)/.exec(text)?.[1];
  if (digits) finerThanMs.set(date, Number(`0.${digits}`));
  return date;
}

/** Compares instants by their written times, also within a millisecond. */
export const byWrittenTime = (a: Date, b: Date): number =>
  a.getTime() - b.getTime() || (finerThanMs.get(a) ?? 0) - (finerThanMs.get(b) ?? 0);

/** An ISO 8601 datetime with zone, as a Date in the tables' range. */
export const instant = z
  .string()
  .overwrite(toRfc3339)
  .check(z.iso.datetime({ offset: true, error: NO_TIME }))
  .transform(toDate)
  .refine(isInBounds, "is not between 1970 and 9999");

const MAX_FUTURE_MS = DAY_MS;

/** Time of an event. Future times from wrong clocks are refused: they would lead every list and delay retention. */
export const happenedAt = instant.refine(
  (date) => date.getTime() <= Date.now() + MAX_FUTURE_MS,
  "lies more than 24 hours in the future",
);

/** A time in an answer. */
export const isoTime = z.iso.datetime();

/** Refines a schema with a range of instants: start not after end. */
export const inOrder =
  <A extends string, B extends string>(from: A, to: B) =>
  (range: { [K in A | B]?: Date | undefined }, context: z.RefinementCtx): void => {
    const [first, last]: (Date | undefined)[] = [range[from], range[to]];
    if (first && last && first > last) context.addIssue({ code: "custom", path: [from], message: `is after ${to}` });
  };

const NOT_POSITIVE = "must be a positive integer";

/** A positive integer, as a number or digits. */
export const positiveInt = z.union(
  [
    z.number().int().positive(),
    z
      .string()
      .regex(/^0*[1-9]\d{0,14}$/)
      .transform(Number),
  ],
  NOT_POSITIVE,
);

const digits = z
  .string()
  .regex(/^0*[1-9]\d*$/)
  .transform(Number);
const anyLimit = z.union([z.int().positive(), digits], NOT_POSITIVE);

type Limit = z.ZodType<number, number | string>;

/** Page size, at most max. */
export const pageLimit = (max: number): Limit =>
  anyLimit.refine((limit) => limit <= max, `is over ${max}, the maximum`).meta({ maximum: max });

/** Page size of the spec's lists, clamped to max. */
export const cutLimit = (max: number): Limit =>
  anyLimit.transform((limit) => Math.min(limit, max)).meta({ maximum: max });

/** A boolean, or its word in a query parameter. */
export const flag = z.union(
  [z.boolean(), z.enum(["true", "false"]).transform((text) => text === "true")],
  "must be true or false",
);

/** Free text of a filter; an empty form field is ignored. */
export const filterText = z
  .string()
  .max(MAX_FILTER_LENGTH)
  .transform((text) => text || undefined)
  .optional();

/** One word of a filter, as resolved by `find`; an empty form field is ignored. */
export const wordFilter = <T extends string>(words: readonly T[], find: (text: string) => T | undefined) =>
  z
    .string()
    .transform((text, context): T | undefined => {
      const found = find(text.trim());
      if (found === undefined && text !== "")
        context.addIssue({ code: "custom", message: `must be one of ${words.join(", ")}` });
      return found;
    })
    .optional();

/** A filter given once or repeatedly. */
const given = z.union([z.string().max(MAX_FILTER_LENGTH), z.array(z.string().max(MAX_FILTER_LENGTH))], "must be text");

/** Canonical word for a text in any case, or for an alias; undefined for other texts. */
export const wordIn =
  <T extends string>(words: readonly T[], aliases?: ReadonlyMap<string, T>) =>
  (text: string): T | undefined => {
    const word = text.trim().toLowerCase();
    return aliases?.get(word) ?? words.find((one) => one === word);
  };

/** A filter of several words, any of which matches: comma-separated or repeated. */
export const wordsFilter = <T extends string>(words: readonly T[], aliases?: ReadonlyMap<string, T>) =>
  given
    .transform((texts, context): T[] | undefined => {
      const found = new Set<T>();
      for (const part of [texts].flat().join(",").split(",")) {
        const word = wordIn(words, aliases)(part);
        if (word) found.add(word);
        else if (part.trim() !== "")
          context.addIssue({ code: "custom", message: `must be one of ${words.join(", ")}, or several with commas` });
      }
      return found.size > 0 ? [...found] : undefined;
    })
    .optional();

/** Texts compared whole, commas included; any of repeated ones matches. */
export const exactTexts = given
  .transform((texts) => {
    const found = [texts].flat().filter((text) => text !== "");
    return found.length > 0 ? found : undefined;
  })
  .optional();

/** A filter for one of a few exact words. */
export const choiceFilter = <const T extends readonly string[]>(words: T) =>
  wordFilter<T[number]>(words, (text) => words.find((word) => word === text)).meta({ enum: [...words] });

/** A yes/no filter. */
export const flagFilter = z.union([flag, z.literal("").transform(() => undefined)], "must be true or false").optional();

/** Query members of a paged list. */
export const pageShape = (defaultLimit: number, maxLimit: number, limit = pageLimit) => ({
  page: positiveInt.refine((n) => n <= MAX_PAGE, `is over ${MAX_PAGE}`).default(1),
  limit: limit(maxLimit).default(defaultLimit),
});

/** Paging of the administration pages' lists. */
export const adminPage = pageShape(ADMIN_PAGE_LIMIT, MAX_ADMIN_PAGE_LIMIT);

/** Answer member of a paged list. */
export const pagination = z.strictObject({ page: z.int(), limit: z.int(), total: z.int(), totalPages: z.int() });
export type Pagination = z.output<typeof pagination>;

const DEFAULT_OVERLAP_SECONDS = 24 * 60 * 60;
const MAX_OVERLAP_SECONDS = 7 * DEFAULT_OVERLAP_SECONDS;

/** Time that the previous secret remains valid; 0 for not at all. */
export const overlapSeconds = z.int().min(0).max(MAX_OVERLAP_SECONDS).default(DEFAULT_OVERLAP_SECONDS);

/** A time zone by its IANA name. */
export const zoneName = z.string().max(64).refine(isZone, "is no time zone");

/** Input of an operation without members. */
export const noInput = z.strictObject({}).optional();

export const idInput = z.object({ id: guid });
/** Input with an id only; other members are refused. */
export const onlyIdInput = z.strictObject({ id: guid });

/** An answer used only by our own pages, checked by the compiler only. */
export const typed = <T>() => z.custom<T>();
