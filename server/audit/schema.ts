import { z } from "zod";
import { mapValues } from "@/server/ground/records";
import { MAX_FILTER_LENGTH } from "@/server/ground/text";
import { isZone } from "@/server/ground/time/wall-clock";
import { choiceFilter, cutLimit, flag, guid, inOrder, instant, isoTime, positiveInt } from "@/server/ground/wire";
import { EXCLUDABLE, FILTERS, type Filter, faultOf, toExclusion } from "./query/catalogue";
import { MAX_WORDS, splitValues, termsOf } from "./query/values";
import {
  ACTOR_TYPES,
  CATEGORIES,
  DEFAULT_PAGE_SIZE,
  FIRST_SEEN,
  MAX_FILTER_LIST_LENGTH,
  MAX_PAGE_SIZE,
  RESULTS,
  ROUTINE,
} from "./vocabulary";

const MAX_VALUES = 100;
const listText = z.string().max(MAX_FILTER_LIST_LENGTH);

/** Comma-separated values, from a repeated parameter or a list in a body. */
const valueList = z
  .union([listText, z.array(listText).max(MAX_VALUES)])
  .transform((texts) => [texts].flat().flatMap(splitValues));

/** Values of a filter, any of which matches; an empty form field is ignored, but an empty id matches nothing. */
function inputOf(filter: Filter) {
  const { choices, isId, label } = filter;
  const input = valueList
    .superRefine((values, context) => {
      // An empty organization would otherwise mean all.
      const checked = isId && values.length === 0 ? [""] : values;
      const fault = checked.map((value) => faultOf(filter, value)).find(Boolean);
      if (fault) context.addIssue({ code: "custom", message: fault });
      if (values.length > MAX_VALUES) context.addIssue({ code: "custom", message: `has over ${MAX_VALUES} values` });
    })
    .transform((values) => (isId ? values.map((id) => id.toLowerCase()) : values))
    .transform((values): readonly string[] | undefined => (values.length > 0 ? values : undefined))
    .optional();
  return choices ? input.describe(`${label}: any of several values (${Object.keys(choices).join(", ")})`) : input;
}

/** Search text: one phrase (spec, GET /audit-logs/search). */
const searchText = z.string().min(1).max(MAX_FILTER_LENGTH);

/** Words and quoted phrases that must all occur. */
const wordsText = z
  .string()
  .max(MAX_FILTER_LENGTH)
  .refine((text) => termsOf(text).flat().length <= MAX_WORDS, `has over ${MAX_WORDS} words`)
  .transform((text) => text.trim() || undefined)
  .optional()
  .describe("Words that must all occur, in any order; in double quotes a phrase; of words joined by | one suffices");

/** Filters shared by list, search, export and stats (spec: common list/filter query parameters, and ours). */
export const filterShape = {
  ...mapValues(FILTERS, inputOf),
  excludeActions: valueList.optional(),
  /** "result:success,category:device" */
  exclude: valueList
    .refine((parts) => parts.every(toExclusion), {
      message: `each must be one of ${EXCLUDABLE.join(", ")}, a colon and a value`,
    })
    .optional(),
  q: wordsText,
  routine: choiceFilter(ROUTINE).describe(
    "Telemetry that agents send around the clock and that succeeded: left out (without), or nothing else (only)",
  ),
  from: instant.optional(),
  to: instant.optional(),
};

/** Refines every schema with from and to. */
export const fromBeforeTo = inOrder("from", "to");

export const filterInput = z.object(filterShape).superRefine(fromBeforeTo);

/** One of the caller's organizations. */
export const oneOrg = guid.optional();

/** Query members for a part of one chain: by time or by sequence, both ends included. */
export const partShape = {
  from: filterShape.from,
  to: filterShape.to,
  fromSeq: positiveInt.optional(),
  toSeq: positiveInt.optional(),
};
type Part = { [K in keyof typeof partShape]?: z.output<(typeof partShape)[K]> };

/** Refines a schema with partShape: one way only, and start before end. */
export function onePart(part: Part, context: z.RefinementCtx): void {
  const { from, to, fromSeq, toSeq } = part;
  const issue = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
  fromBeforeTo({ from, to }, context);
  if (fromSeq !== undefined && toSeq !== undefined && fromSeq > toSeq) issue("fromSeq", "is after toSeq");
  if ((from || to) && (fromSeq ?? toSeq) !== undefined)
    issue(fromSeq === undefined ? "toSeq" : "fromSeq", "cannot be combined with from and to");
}

/** Name of a time zone, such as Europe/Berlin. */
export const zoneName = z.string().max(64).refine(isZone, "is not the name of a time zone");

export const rangeInput = z
  .object({ orgId: oneOrg, from: filterShape.from, to: filterShape.to })
  .superRefine(fromBeforeTo);
export type RangeInput = z.output<typeof rangeInput>;

const pageShape = {
  page: positiveInt.default(1),
  limit: cutLimit(MAX_PAGE_SIZE).default(DEFAULT_PAGE_SIZE),
  skipCount: flag.default(false),
  cursor: z.string().min(1).max(300).optional(),
};

/** Query of GET /audit-logs and GET /audit-logs/logs. */
export const listInput = z.object({ ...filterShape, ...pageShape }).superRefine(fromBeforeTo);

/** Query of GET /audit-logs/search. */
export const searchInput = z.object({ ...filterShape, ...pageShape, q: searchText }).superRefine(fromBeforeTo);

/** total and totalPages are -1 when the caller skipped the count. */
const pagination = z.strictObject({
  page: z.int(),
  limit: z.int(),
  total: z.int(),
  totalPages: z.int(),
  nextCursor: z.string().nullable(),
});

const entryCore = {
  id: guid,
  orgId: guid,
  timestamp: isoTime,
  action: z.string(),
  actionLabel: z.string(),
  actorType: z.enum(ACTOR_TYPES),
  category: z.enum(CATEGORIES),
  result: z.enum(RESULTS),
  ipAddress: z.string(),
  userAgent: z.string(),
  submittedBy: z.strictObject({ keyId: guid, name: z.string() }).nullable(),
};

/** Spec: flat list entry, for the viewer. */
const flatEntry = z.strictObject({
  ...entryCore,
  resource: z.string(),
  resourceType: z.string(),
  details: z.string(),
  sessionId: z.string().nullable(),
  user: z.strictObject({ name: z.string(), email: z.string(), role: z.string(), department: z.string() }),
  changes: z.strictObject({ before: z.unknown(), after: z.unknown() }),
});
export type FlatEntry = z.output<typeof flatEntry>;

/** Spec: full list entry. */
export const fullEntry = z.strictObject({
  ...entryCore,
  user: z.strictObject({ id: guid, name: z.string(), email: z.string(), role: z.string() }),
  resource: z.strictObject({ type: z.string(), id: z.string(), name: z.string() }),
  details: z.record(z.string(), z.unknown()),
  errorMessage: z.string().nullable(),
  checksum: z.string(),
  prevChecksum: z.string().nullable(),
  chainSeq: z.int().positive(),
  /** Only in lists and single entries, and only if something is new. */
  firstSeen: z.array(z.enum(FIRST_SEEN)).optional(),
});
export type FullEntry = z.output<typeof fullEntry>;

/** The words are too short for the index: older rows were not read, and total counts the newer ones. */
const truncated = z.literal(true).optional();
export const flatPage = z.strictObject({ entries: z.array(flatEntry), pagination, truncated });
export const fullPage = z.strictObject({ data: z.array(fullEntry), pagination, truncated });
export const searchPage = z.strictObject({ data: z.array(fullEntry), query: z.string(), pagination, truncated });

/** Entries of the dashboard's lists: without the seal, which integrity.entryStatus returns. */
export type ListedEntry = Omit<FullEntry, "checksum" | "prevChecksum">;
export type ListedPage = Omit<z.output<typeof fullPage>, "data"> & { data: ListedEntry[] };
