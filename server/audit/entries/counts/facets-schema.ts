import { z } from "zod";
import { FACET_NAMES } from "@/server/audit/query/catalogue";
import { filterInput, zoneName } from "@/server/audit/schema";
import { fromKeys } from "@/server/ground/records";
import { guid, instant, isoTime } from "@/server/ground/wire";

/** Facets count at most this many of the newest matches. */
export const MAX_FACET_ROWS = 10_000;
/** Matches counted row by row when the tallies lack the count; takes a few hundred milliseconds at most. */
export const MAX_EXACT_ROWS = 100_000;
/** Values of one facet; the rarest are left out. */
export const MAX_FACET_VALUES = 50;
/** Histograms count at most this many of the newest matches. */
export const MAX_HISTOGRAM_ROWS = 50_000;
export const MAX_HISTOGRAM_BUCKETS = 60;
export const STEP_UNITS = ["minute", "hour", "day", "month"] as const;
/**
 * Folded telemetry is counted by day in the newest entries of a page's span, up to this many; older ones are one fold.
 */
export const MAX_FOLDED_ROWS = 10_000;

const MAX_AMONG = 1_000;

/** Filters of the lists. `among` narrows to organizations like orgId, but their facet keeps the others. */
export const facetsInput = z.object({ among: z.array(guid).max(MAX_AMONG).optional() }).and(filterInput);

/** Filters of the lists, and the time zone of the buckets. */
export const histogramInput = z.object({ zone: zoneName.default("UTC") }).and(filterInput);

/** Telemetry folded by one page of a list: from the start of the page to its last entry. */
export const routineInput = z
  .object({ zone: zoneName.default("UTC"), cursor: z.string().min(1).max(300).optional(), through: instant.optional() })
  .and(filterInput);

/** Entries of one day, both ends included; the last fold may hold all earlier days. */
const fold = z.strictObject({ count: z.int(), first: isoTime, last: isoTime, actors: z.int().nullable() });
export const routineFolds = z.strictObject({ folds: z.array(fold) });
export type RoutineFold = z.output<typeof fold>;

/** label is the display name of the value. */
const facet = z.array(z.strictObject({ value: z.string(), label: z.string(), count: z.int() }));
export const facets = z.strictObject({
  ...fromKeys(FACET_NAMES, () => facet),
  /** Number of rows counted; truncated if older ones were not. */
  rows: z.int(),
  truncated: z.boolean(),
  /** Facets whose counts cover every match. */
  exact: z.array(z.enum(FACET_NAMES)),
  /** Facets with more values than listed. */
  cut: z.array(z.enum(FACET_NAMES)),
});
export type Facets = z.output<typeof facets>;

export const histogram = z.strictObject({
  from: isoTime.nullable(),
  to: isoTime.nullable(),
  /** Bucket length in wall-clock time: a day may have 23 or 25 hours. */
  step: z.strictObject({ unit: z.enum(STEP_UNITS), n: z.int().positive() }),
  /** Start of each bucket, and the end of the last. */
  edges: z.array(isoTime),
  /** at is the start of a bucket; empty buckets are omitted. */
  buckets: z.array(z.strictObject({ at: isoTime, success: z.int(), failure: z.int(), denied: z.int() })),
  /** If truncated, the oldest row counted. */
  countedFrom: isoTime.nullable(),
  truncated: z.boolean(),
});
export type Histogram = z.output<typeof histogram>;
