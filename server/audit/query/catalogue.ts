import {
  ACTOR_TYPE_LABEL,
  CATEGORY_LABEL,
  FIRST_SEEN_LABEL,
  RESULT_LABEL,
  SUBMITTED_LABEL,
} from "@/server/audit/vocabulary";
import { keysOf } from "@/server/ground/records";
import { GUID, MAX_FILTER_LENGTH } from "@/server/ground/text";
import { networkOf } from "./values";

/** In display order. */
export const FACET_NAMES = [
  "category",
  "action",
  "actorType",
  "actor",
  "address",
  "result",
  "resourceType",
  "firstSeen",
  "organization",
] as const;
export type FacetName = (typeof FACET_NAMES)[number];

/**
 * Filters of the audit log, each declared once. Inputs of procedures and routes, address parameters, chips, qualifiers,
 * completion, facets and labels derive from these entries; the server adds a condition (conditions.ts) and, if the
 * search index can narrow by it, a query (to-query.ts).
 */
export type Filter = {
  label: string;
  /**
   * exact: the whole value; part: anywhere in a text, in any case; network: an address, a CIDR network or the start of
   * addresses; words: a text that contains all words. Any of several values matches.
   */
  match: "exact" | "part" | "network" | "words";
  choices?: Readonly<Record<string, string>>;
  isId?: true;
  negatable?: true;
  facet?: FacetName;
  /** Its word in the search box, before the colon. If two filters share it, the minus means the negatable one. */
  qualifier?: string;
  /** Hint at the values of the qualifier. */
  hint?: string;
  /** Facet whose values complete the qualifier. */
  completedBy?: FacetName;
};
export type Catalogue = Readonly<Record<string, Filter>>;

/** Names are those of the wire and the address; the order is that of chips, facets and completion. */
export const FILTERS = {
  q: { label: "Text", match: "words", negatable: true },
  user: {
    label: "Actor",
    match: "part",
    qualifier: "actor",
    hint: "part of a name or an e-mail address",
    negatable: true,
    completedBy: "actor",
  },
  action: {
    label: "Action",
    match: "part",
    qualifier: "action",
    hint: "part of a code, such as device.create",
    completedBy: "action",
  },
  resource: {
    label: "Resource",
    match: "part",
    qualifier: "resource",
    hint: "part of a name or a type",
    negatable: true,
    completedBy: "resourceType",
  },
  device: {
    label: "Device",
    match: "part",
    qualifier: "device",
    hint: "part of a hostname: entries about it, by its agent, and that name it",
    negatable: true,
  },
  ip: {
    label: "Address",
    match: "network",
    negatable: true,
    qualifier: "ip",
    hint: "an address, a network such as 10.0.0.0/8, or a beginning such as 10.0.",
    facet: "address",
    completedBy: "address",
  },
  result: {
    label: "Result",
    match: "exact",
    choices: RESULT_LABEL,
    negatable: true,
    facet: "result",
    qualifier: "result",
    hint: "success, failure or denied",
  },
  category: {
    label: "Category",
    match: "exact",
    choices: CATEGORY_LABEL,
    negatable: true,
    facet: "category",
    qualifier: "category",
    hint: "device, policy, authentication …",
  },
  actorType: {
    label: "Actor type",
    match: "exact",
    choices: ACTOR_TYPE_LABEL,
    negatable: true,
    facet: "actorType",
    qualifier: "type",
    hint: "user, API key, agent, system or AI agent",
  },
  actorId: { label: "Actor", match: "exact", isId: true, negatable: true, facet: "actor" },
  /** An actor whose id is not a UUID, kept in details.rawActorId. */
  rawActorId: { label: "Actor", match: "exact" },
  actions: {
    label: "Action",
    match: "exact",
    negatable: true,
    facet: "action",
    qualifier: "action",
    hint: "exclude an action",
    completedBy: "action",
  },
  resourceType: { label: "Resource type", match: "exact", negatable: true, facet: "resourceType" },
  resourceId: { label: "Resource", match: "exact", isId: true, negatable: true },
  session: {
    label: "Session",
    match: "exact",
    negatable: true,
    qualifier: "session",
    hint: "the id of a session, as the details of its entries have it",
  },
  submitted: {
    label: "Recorded",
    match: "exact",
    choices: SUBMITTED_LABEL,
    qualifier: "submitted",
    hint: "true: submitted by a key; false: this server's own word",
  },
  new: {
    label: "First seen",
    match: "exact",
    choices: FIRST_SEEN_LABEL,
    facet: "firstSeen",
    qualifier: "new",
    hint: "address, network or userAgent",
  },
  orgId: { label: "Organization", match: "exact", isId: true, negatable: true, facet: "organization" },
} as const satisfies Catalogue;

export type FilterName = keyof typeof FILTERS;
export const FILTER_NAMES = keysOf(FILTERS);

/** Error of a filter's value, or null. Isomorphic: the address and the wire refuse the same values. */
export function faultOf({ choices, isId, match }: Filter, value: string): string | null {
  if (choices) return Object.hasOwn(choices, value) ? null : `must be one of ${Object.keys(choices).join(", ")}`;
  if (isId) return GUID.test(value) ? null : "is not a UUID";
  if (match === "network" && value.includes("/")) return networkOf(value) ? null : `${value} is not a network`;
  return value.length > MAX_FILTER_LENGTH ? `is longer than ${MAX_FILTER_LENGTH} characters` : null;
}

/** An excluded value and its filter. */
export type Exclusion = { name: string; value: string };

/** Actions have their own exclusion parameter without a prefix; other filters use `exclude`. */
export const EXCLUDED_BARE = "actions";

/** An actor without a UUID is also excluded as actorId. */
const ANY_ID = "actorId";

/** Filters allowed in `exclude`, as in "result:success". */
export const EXCLUDABLE: readonly string[] = FILTER_NAMES.filter(
  (name) => "negatable" in FILTERS[name] && name !== EXCLUDED_BARE,
);

const BY_NAME = new Map(Object.entries<Filter>(FILTERS));

/** Filter of a name; undefined for another text. */
export const filterOf = (name: string): Filter | undefined => BY_NAME.get(name);

/** Parses a part of `exclude`; null for an unknown filter. */
export function toExclusion(part: string): Exclusion | null {
  const at = part.indexOf(":");
  const name = part.slice(0, at);
  const value = part.slice(at + 1);
  const filter = EXCLUDABLE.includes(name) ? filterOf(name) : undefined;
  return filter && value && (name === ANY_ID || !faultOf(filter, value)) ? { name, value } : null;
}
