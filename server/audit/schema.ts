import { z } from "zod";
import {
  columnText,
  filledText,
  filterText,
  flag,
  happenedAt,
  inOrder,
  instant,
  isoTime,
  positiveInt,
} from "@/server/wire";
import { type Catalogue, excludableIn, FILTERS, type Filter, toExclusion } from "./query/catalogue";
import {
  ACTOR_TYPES,
  CATEGORIES,
  DEFAULT_PAGE_SIZE,
  MAX_EVENTS_PER_REQUEST,
  MAX_FILTER_LENGTH,
  MAX_FILTER_LIST_LENGTH,
  MAX_LENGTH,
  MAX_PAGE_SIZE,
  RESULTS,
} from "./vocabulary";

const commaList = z.union([
  z.array(z.string().min(1).max(MAX_LENGTH.action)).max(100),
  z
    .string()
    .max(MAX_FILTER_LIST_LENGTH)
    .transform((text) =>
      text
        .split(",")
        .map((part) => part.trim())
        .filter(Boolean),
    ),
]);

type InputOf<F extends Filter> = F extends { choices: infer C extends Readonly<Record<string, string>> }
  ? z.ZodOptional<z.ZodEnum<{ [K in keyof C & string]: K }>>
  : F extends { isId: true }
    ? z.ZodOptional<z.ZodGUID>
    : F extends { match: "list" }
      ? z.ZodOptional<typeof commaList>
      : typeof filterText;

function inputOf({ choices, isId, match }: Filter): z.ZodType {
  if (choices) return z.enum(Object.keys(choices)).optional();
  if (isId) return z.guid().optional();
  return match === "list" ? commaList.optional() : filterText;
}

/** The parameters of a catalogue's filters, and what they exclude: "result:success,category:device". */
export function inputsOf<C extends Catalogue>(catalogue: C) {
  const inputs = Object.entries(catalogue).map(([name, filter]) => [name, inputOf(filter)]);
  const exclude = commaList.refine((parts) => parts.every((part) => toExclusion(part, catalogue)), {
    message: `each must be one of ${excludableIn(catalogue).join(", ")}, a colon and a value`,
  });
  return {
    ...(Object.fromEntries(inputs) as { [N in keyof C]: InputOf<C[N]> }),
    excludeActions: commaList.optional(),
    exclude: exclude.optional(),
  };
}

const { q: _, ...filters } = inputsOf(FILTERS);

/** The text of a search, which lists do not take on REST. */
export const searchText = z.string().min(1).max(MAX_FILTER_LENGTH);

/** The conditions that list, search, export and stats share (spec: common list/filter query parameters, and ours). */
export const filterShape = { ...filters, from: instant.optional(), to: instant.optional() };

/** Refinement of every schema with from and to. */
export const fromBeforeTo = inOrder("from", "to");

export const filterInput = z.object(filterShape).superRefine(fromBeforeTo);
export type Filters = z.output<typeof filterInput>;

export const rangeInput = z
  .object({ orgId: filterShape.orgId, from: filterShape.from, to: filterShape.to })
  .superRefine(fromBeforeTo);
export type RangeInput = z.output<typeof rangeInput>;

const pageShape = {
  page: positiveInt.default(1),
  limit: positiveInt.transform((n) => Math.min(n, MAX_PAGE_SIZE)).default(DEFAULT_PAGE_SIZE),
  skipCount: flag.default(false),
  cursor: z.string().min(1).max(300).optional(),
};

/** Query of GET /audit-logs and GET /audit-logs/logs. */
export const listInput = z.object({ ...filterShape, ...pageShape }).superRefine(fromBeforeTo);
export type ListInput = z.output<typeof listInput>;

/** Query of GET /audit-logs/search. */
export const searchInput = z.object({ ...filterShape, ...pageShape, q: searchText }).superRefine(fromBeforeTo);
export type SearchInput = z.output<typeof searchInput>;

/** The entries that the viewer shows: a list, or a search where there is a text. */
export const entriesInput = z
  .object({ ...filterShape, ...pageShape, q: searchText.optional() })
  .superRefine(fromBeforeTo);

/** total and totalPages are -1 when the caller skipped the count. */
const pagination = z.strictObject({
  page: z.int(),
  limit: z.int(),
  total: z.int(),
  totalPages: z.int(),
  nextCursor: z.string().nullable(),
});
export type Pagination = z.output<typeof pagination>;

const entryCore = {
  id: z.guid(),
  orgId: z.guid(),
  timestamp: isoTime,
  action: z.string(),
  actionLabel: z.string(),
  actorType: z.enum(ACTOR_TYPES),
  category: z.enum(CATEGORIES),
  result: z.enum(RESULTS),
  ipAddress: z.string(),
  userAgent: z.string(),
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
  user: z.strictObject({ id: z.guid(), name: z.string(), email: z.string(), role: z.string() }),
  resource: z.strictObject({ type: z.string(), id: z.string(), name: z.string() }),
  details: z.record(z.string(), z.unknown()),
  errorMessage: z.string().nullable(),
  checksum: z.string(),
  prevChecksum: z.string().nullable(),
  chainSeq: z.int().positive(),
});
export type FullEntry = z.output<typeof fullEntry>;

export const flatPage = z.strictObject({ entries: z.array(flatEntry), pagination });
export const fullPage = z.strictObject({ data: z.array(fullEntry), pagination });
export type FullPage = z.output<typeof fullPage>;
/** truncated: the term is too short for the index, older rows were not looked at and total counts the newer ones. */
export const searchPage = z.strictObject({
  data: z.array(fullEntry),
  query: z.string(),
  pagination,
  truncated: z.literal(true).optional(),
});
export type SearchPage = z.output<typeof searchPage>;

/** Actions about the log itself: who could submit them could forge a receipt of retention. */
const SERVER_ACTION = /^audit(_logs)?\./;

/** One event of POST /audit-logs/events. Unknown members are refused: a misspelled one would be lost for ever. */
const submittedEvent = z.strictObject({
  id: z.guid().nullish(),
  orgId: z.guid().nullish(),
  timestamp: happenedAt.nullish(),
  actorType: z.enum(ACTOR_TYPES),
  actorId: filledText(MAX_LENGTH.rawId),
  actorEmail: columnText(MAX_LENGTH.actorEmail).nullish(),
  action: filledText(MAX_LENGTH.action).refine(
    (action) => !SERVER_ACTION.test(action),
    "is recorded by the server alone",
  ),
  resourceType: filledText(MAX_LENGTH.resourceType),
  resourceId: filledText(MAX_LENGTH.rawId).nullish(),
  resourceName: columnText(MAX_LENGTH.resourceName).nullish(),
  details: z
    .record(z.string(), z.unknown())
    .refine((details) => !Object.hasOwn(details, "submittedBy"), {
      path: ["submittedBy"],
      error: "is set by the server",
    })
    .nullish(),
  ipAddress: columnText(MAX_LENGTH.ipAddress).nullish(),
  userAgent: columnText(MAX_LENGTH.userAgent).nullish(),
  result: z.enum(RESULTS),
  errorMessage: columnText(MAX_LENGTH.errorMessage).nullish(),
});
export type SubmittedEvent = z.output<typeof submittedEvent>;

/** Body of POST /audit-logs/events. */
export const submitInput = z.strictObject({ events: z.array(submittedEvent).min(1).max(MAX_EVENTS_PER_REQUEST) });

/** dropped counts the events without an organization. */
export const submitOutput = z.strictObject({ accepted: z.int(), dropped: z.int() });
