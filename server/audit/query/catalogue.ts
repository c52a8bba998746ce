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

/** In the order in which they are counted and shown. */
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
 * The filters of the audit log, each declared once. The inputs of the procedures and routes, the parameters of the
 * viewer's address, its chips, qualifiers, completion, facets and labels derive from these entries; the server adds a
 * condition (conditions.ts) and, where the search index can narrow by it, what it is asked (to-query.ts).
 */
export type Filter = {
  label: string;
  /**
   * exact: the value as it stands; part: anywhere in a text, in any case; network: a whole address, a network in CIDR
   * notation, or what addresses begin with; words: a text whose words all occur. Of several values any matches.
   */
  match: "exact" | "part" | "network" | "words";
  /** The only values there are, with their labels. */
  choices?: Readonly<Record<string, string>>;
  /** The values are UUIDs. */
  isId?: true;
  /** Values can be excluded too. */
  negatable?: true;
  /** The facet that counts its values. */
  facet?: FacetName;
  /** Its word in the search box, before the colon. Of two filters with one word the minus means the negatable one. */
  qualifier?: string;
  /** The values of the qualifier. */
  hint?: string;
  /** The facet whose values complete the qualifier. */
  completedBy?: FacetName;
};
export type Catalogue = Readonly<Record<string, Filter>>;

/** The names are those of the wire and of the address; the order is that of chips, facets and completion. */
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
  /** An actor whose id is no UUID, as details.rawActorId keeps it. */
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

/** The fault of a filter's value; null without one. Isomorphic: the address and the wire refuse the same. */
export function faultOf({ choices, isId, match }: Filter, value: string): string | null {
  if (choices) return Object.hasOwn(choices, value) ? null : `must be one of ${Object.keys(choices).join(", ")}`;
  if (isId) return GUID.test(value) ? null : "is not a UUID";
  if (match === "network" && value.includes("/")) return networkOf(value) ? null : `${value} is not a network`;
  return value.length > MAX_FILTER_LENGTH ? `is longer than ${MAX_FILTER_LENGTH} characters` : null;
}

/** A value that is excluded. */
export type Exclusion = { name: string; value: string };

/** Actions are excluded by a parameter that takes them bare, everything else by `exclude`. */
export const EXCLUDED_BARE = "actions";

/** An actor whose id is no UUID is excluded as actorId too. */
const ANY_ID = "actorId";

/** The filters of which `exclude` takes values, as "result:success". */
export const excludableIn = (catalogue: Catalogue): string[] =>
  Object.keys(catalogue).filter((name) => catalogue[name]?.negatable && name !== EXCLUDED_BARE);

/** The exclusion that a part of `exclude` means; null for one of no filter. */
export function toExclusion(part: string, catalogue: Catalogue = FILTERS): Exclusion | null {
  const at = part.indexOf(":");
  const name = part.slice(0, at);
  const value = part.slice(at + 1);
  const filter = excludableIn(catalogue).includes(name) ? catalogue[name] : undefined;
  return filter && value && (name === ANY_ID || !faultOf(filter, value)) ? { name, value } : null;
}
