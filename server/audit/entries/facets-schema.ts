import { z } from "zod";
import { filterInput } from "@/server/audit/schema";
import { isoTime } from "@/server/wire";

/** Facets count at most so many of the newest matches. */
export const MAX_FACET_ROWS = 10_000;
/** Values of one facet; the rarest are left out. */
export const MAX_FACET_VALUES = 50;
/** Likewise a histogram that the tallies cannot tell. */
export const MAX_HISTOGRAM_ROWS = 50_000;
export const MAX_HISTOGRAM_BUCKETS = 60;

/** The lists' filters. */
export const facetsInput = filterInput;

export const FACET_NAMES = [
  "category",
  "action",
  "actorType",
  "actor",
  "result",
  "resourceType",
  "organization",
] as const;

/** label is what people call the value. */
const facet = z.array(z.strictObject({ value: z.string(), label: z.string(), count: z.int() }));
export const facets = z.strictObject({
  category: facet,
  action: facet,
  actorType: facet,
  actor: facet,
  result: facet,
  resourceType: facet,
  organization: facet,
  /** How many rows were counted; truncated when there are older ones. */
  rows: z.int(),
  truncated: z.boolean(),
  /** The facets whose counts are of every match all the same. */
  exact: z.array(z.enum(FACET_NAMES)),
});
export type Facets = z.output<typeof facets>;

export const histogram = z.strictObject({
  from: isoTime.nullable(),
  to: isoTime.nullable(),
  stepMs: z.int(),
  /** at is the beginning of a bucket; empty ones are left out. */
  buckets: z.array(z.strictObject({ at: isoTime, success: z.int(), failure: z.int(), denied: z.int() })),
  /** Older rows than this were not counted when truncated. */
  countedFrom: isoTime.nullable(),
  truncated: z.boolean(),
});
export type Histogram = z.output<typeof histogram>;
