import { z } from "zod";
import { guid, nameText } from "@/server/ground/wire";

const MAX_VIEW_NAME = 80;
/** Maximum characters of a view's query. */
const MAX_VIEW_QUERY = 4000;
export const MAX_VIEWS_PER_PERSON = 100;
/** Maximum number of views per list; nobody chooses from more. */
export const MAX_LISTED_VIEWS = 500;

/** Address parameters for position or appearance, which are not part of a query. */
const PLACES: ReadonlySet<string> = new Set([
  "orgId",
  "org",
  "tz",
  "cursor",
  "row",
  "cols",
  "density",
  "facets",
  "live",
]);
const FILTER_NAME = /^[a-z][A-Za-z]{0,29}$/;

function isFilterPart(query: string): boolean {
  const names = [...new URLSearchParams(query).keys()];
  return new Set(names).size === names.length && names.every((name) => FILTER_NAME.test(name) && !PLACES.has(name));
}

const name = nameText(MAX_VIEW_NAME);
/** Only the viewer knows the filters; it ignores unknown ones, as in any URL. */
const query = z.string().max(MAX_VIEW_QUERY).refine(isFilterPart, "is not the filter part of an address");

/** Audience of a view: null is its owner; else all users of an organization, or (orgId null) of the partner. */
const audience = z.strictObject({ orgId: guid.nullable() }).nullable();
export type Audience = z.output<typeof audience>;

export const createInput = z.strictObject({ name, query, sharedWith: audience.default(null) });

export const updateInput = z.strictObject({
  id: guid,
  name: name.optional(),
  query: query.optional(),
  sharedWith: audience.optional(),
});

export const savedView = z.strictObject({
  id: guid,
  name: z.string(),
  query: z.string(),
  sharedWith: audience,
  isMine: z.boolean(),
  /** True for own views, and for shared ones if the caller is an administrator. */
  mayChange: z.boolean(),
  createdByName: z.string(),
});
export type SavedView = z.output<typeof savedView>;

export const savedViewList = z.strictObject({ data: z.array(savedView), mayShare: z.boolean() });
