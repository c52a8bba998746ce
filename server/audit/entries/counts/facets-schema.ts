import { z } from "zod";
import { FACET_NAMES } from "@/server/audit/query/catalogue";
import { filterInput, zoneName } from "@/server/audit/schema";
import { fromKeys } from "@/server/ground/records";
import { guid, instant, isoTime } from "@/server/ground/wire";

/** Facets count at most so many of the newest matches. */
export const MAX_FACET_ROWS = 10_000;
/** Up to so many matches are counted one by one where the tallies do not have the count: a few hundred milliseconds at most. */
export const MAX_EXACT_ROWS = 100_000;
/** Values of one facet; the rarest are left out. */
export const MAX_FACET_VALUES = 50;
/** The same for a histogram. */
export const MAX_HISTOGRAM_ROWS = 50_000;
export const MAX_HISTOGRAM_BUCKETS = 60;
export const STEP_UNITS = ["minute", "hour", "day", "month"] as const;
/** Folded telemetry is counted by day in the newest so many entries of a page's span; older ones are one fold. */
export const MAX_FOLDED_ROWS = 10_000;

const MAX_AMONG = 1_000;

/** The lists' filters; `among` narrows to organizations as orgId does, but keeps the others in their own facet. */
export const facetsInput = z.object({ among: z.array(guid).max(MAX_AMONG).optional() }).and(filterInput);

/** The lists' filters, and whose days are meant. */
export const histogramInput = z.object({ zone: zoneName.default("UTC") }).and(filterInput);

/** Telemetry that one page of a list folds: from where the page begins through the time of its last entry. */
export const routineInput = z
  .object({ zone: zoneName.default("UTC"), cursor: z.string().min(1).max(300).optional(), through: instant.optional() })
  .and(filterInput);

/** Entries of one day; the last fold may hold all the days before. first and last are inside. */
const fold = z.strictObject({ count: z.int(), first: isoTime, last: isoTime, actors: z.int().nullable() });
export const routineFolds = z.strictObject({ folds: z.array(fold) });
export type RoutineFold = z.output<typeof fold>;

/** label is what people call the value. */
const facet = z.array(z.strictObject({ value: z.string(), label: z.string(), count: z.int() }));
export const facets = z.strictObject({
  ...fromKeys(FACET_NAMES, () => facet),
  /** How many rows were counted; truncated when there are older ones. */
  rows: z.int(),
  truncated: z.boolean(),
  /** The facets that count every match nevertheless. */
  exact: z.array(z.enum(FACET_NAMES)),
  /** The facets that have rarer values than those that are told. */
  cut: z.array(z.enum(FACET_NAMES)),
});
export type Facets = z.output<typeof facets>;

export const histogram = z.strictObject({
  from: isoTime.nullable(),
  to: isoTime.nullable(),
  /** The length of a bucket by the wall clock: a day may have 23 or 25 hours. */
  step: z.strictObject({ unit: z.enum(STEP_UNITS), n: z.int().positive() }),
  /** Where the buckets begin, and where the last one ends. */
  edges: z.array(isoTime),
  /** at is the beginning of a bucket; empty ones are left out. */
  buckets: z.array(z.strictObject({ at: isoTime, success: z.int(), failure: z.int(), denied: z.int() })),
  /** Older rows than this were not counted when truncated. */
  countedFrom: isoTime.nullable(),
  truncated: z.boolean(),
});
export type Histogram = z.output<typeof histogram>;
