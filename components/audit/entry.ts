import { hasAgentSentence, type Piece, sentencePieces } from "@/server/audit/action-label";
import type { FullEntry } from "@/server/audit/schema";
import { deviceNamed } from "@/server/audit/vocabulary";
import { isObject } from "@/server/ground/records";
import { withVisibleMarks } from "@/server/ground/text";

export type Entry = FullEntry;

const AGENT = /^Agent \((.+)\)$/;

/** The host name of the agent's device; null when the actor is no agent or its device is unknown. */
export const hostOf = (entry: Entry): string | null => AGENT.exec(entry.user.name)?.[1] ?? null;

/** An actor's display name: an agent is named after its device. */
export const displayName = (name: string): string => name.replace(AGENT, "Agent on $1");

/** The actor's display name. */
export const actorOf = ({ user }: Entry): string => displayName(user.name) || user.email || "Someone";

/** An entry's sentence: the actor, then text pieces, of which names are emphasized. */
export type Sentence = { actor: string; pieces: Piece[] };

/**
 * "Jane Doe created device WS-042", "… tried to create device WS-042, which failed", "… was denied permission to create
 * device WS-042". A device in the details is named; an agent that acts on its own device is named only once.
 * @param organization the name of the entry's organization, if known
 */
export function sentenceOf(entry: Entry, organization?: string): Sentence {
  const name = entry.resource.name.trim();
  const host = hostOf(entry);
  const isOwn = host !== null && (host === name || !name);
  const device = deviceNamed(entry.details);
  const { action, result } = entry;
  const pieces = sentencePieces({
    action,
    result,
    resourceName: name,
    resourceType: entry.resource.type,
    isOwn,
    organization: organization ?? null,
    device: device && device !== name && device !== host ? device : null,
  });
  return { actor: withVisibleMarks(isOwn && hasAgentSentence(action) ? host : actorOf(entry)), pieces };
}

/** The sentence as plain text, for labels and titles, including the reason of a failure or denial. */
export function sentenceText(entry: Entry, organization?: string): string {
  const { actor, pieces } = sentenceOf(entry, organization);
  const sentence = `${actor} ${pieces.map(({ text }) => text).join("")}`;
  const error = errorOf(entry);
  return error ? `${sentence}: ${error}` : sentence;
}

/** The reason of a failure or denial; null for a success or when none was recorded. */
export const errorOf = ({ result, errorMessage }: Entry): string | null =>
  result !== "success" && errorMessage ? withVisibleMarks(errorMessage) : null;

/** The times of the newest and the oldest of a page's entries. */
export const endsOf = (entries: readonly Entry[]) => [entries[0]?.timestamp, entries.at(-1)?.timestamp];

/** The URL of the page with everything around an entry. */
export const aroundPath = (id: string): string => `/audit/${id}/around`;

/** members: the members of the details that contain the change. */
type Changes = { before: unknown; after: unknown; members: string[] };

const PAIRS = [
  ["before", "after"],
  ["old", "new"],
  ["from", "to"],
  ["oldValue", "newValue"],
] as const;

/** The old and new value of a member that is exactly such a pair. */
function pairOf(value: unknown): [before: unknown, after: unknown] | null {
  if (!isObject(value)) return null;
  const names = Object.keys(value);
  const pair = PAIRS.find((one) => names.length > 0 && names.every((name) => one.some((known) => known === name)));
  return pair ? [value[pair[0]], value[pair[1]]] : null;
}

/** Converts { name: { old, new } } to the states before and after. */
function fromPairs(changes: unknown): Changes | null {
  if (!isObject(changes) || Object.keys(changes).length === 0) return null;
  const pairs = Object.entries(changes).map(([name, value]) => [name, pairOf(value)] as const);
  if (pairs.some(([, pair]) => pair === null)) return null;
  const side = (at: 0 | 1) =>
    Object.fromEntries(pairs.flatMap(([name, pair]) => (pair?.[at] === undefined ? [] : [[name, pair[at]]])));
  return { before: side(0), after: side(1), members: ["changes"] };
}

/** The change that an entry records, as the states before and after; null when it records none. */
export function changesOf(entry: Entry): Changes | null {
  const { before, after, changes } = entry.details;
  if (before === undefined && after === undefined) return fromPairs(changes);
  return { before: before ?? {}, after: after ?? {}, members: ["before", "after"] };
}
