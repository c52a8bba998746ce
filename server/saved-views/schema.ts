import { z } from "zod";
import { guid, nameText } from "@/server/ground/wire";

const MAX_VIEW_NAME = 80;
/** Characters of a view's query. */
const MAX_VIEW_QUERY = 4000;
export const MAX_VIEWS_PER_PERSON = 100;
/** Views that one list holds: no user picks from more. */
export const MAX_LISTED_VIEWS = 500;

/** Parts of the viewer's address that say where one is in the list or how it looks, not what is asked. */
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
/** Which filters there are the viewer knows; it leaves out what it does not, here as in any address. */
const query = z.string().max(MAX_VIEW_QUERY).refine(isFilterPart, "is not the filter part of an address");

/** The people who see a view: null its owner; else all users of an organization, or (orgId null) the partner's. */
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
  /** True for one's own, and for shared ones in the hands of an administrator. */
  mayChange: z.boolean(),
  createdByName: z.string(),
});
export type SavedView = z.output<typeof savedView>;

export const savedViewList = z.strictObject({ data: z.array(savedView), mayShare: z.boolean() });
