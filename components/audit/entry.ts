import { hasAgentSentence, type Piece, sentencePieces } from "@/server/audit/action-label";
import { deviceNamed } from "@/server/audit/device-named";
import type { FullEntry } from "@/server/audit/schema";
import { isObject } from "@/server/records";
import { withVisibleMarks } from "@/server/text";

export type Entry = FullEntry;

const AGENT = /^Agent \((.+)\)$/;

/** The device that an agent runs on, where one acted and its device is known. */
export const hostOf = (entry: Entry): string | null => AGENT.exec(entry.user.name)?.[1] ?? null;

/** An actor's name in the sentence's words: an agent is named by the device that it runs on. */
export const nameInWords = (name: string): string => name.replace(AGENT, "Agent on $1");

/** Who acted. */
export const actorOf = ({ user }: Entry): string => nameInWords(user.name) || user.email || "Someone";

/** An entry's sentence: who, and what became of what they did in pieces, of which names carry weight. */
export type Sentence = { actor: string; pieces: Piece[] };

/**
 * "Jane Doe created device WS-042", "… tried to create device WS-042, which failed", "… was denied permission to create
 * device WS-042". A device that the details name is named; an agent that acts on its own device names it once.
 * @param organization what people call the entry's organization, where it is known
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

/** The same as plain text, for names and titles, with the reason of a failure or denial. */
export function sentenceText(entry: Entry, organization?: string): string {
  const { actor, pieces } = sentenceOf(entry, organization);
  const sentence = `${actor} ${pieces.map(({ text }) => text).join("")}`;
  const error = errorOf(entry);
  return error ? `${sentence}: ${error}` : sentence;
}

/** Why it failed or was denied; null for a success, or where the entry does not say. */
export const errorOf = ({ result, errorMessage }: Entry): string | null =>
  result !== "success" && errorMessage ? withVisibleMarks(errorMessage) : null;

/** The page with everything around an entry. */
export const aroundPath = (id: string): string => `/audit/${id}/around`;

/** members: those of the details that say it. */
type Changes = { before: unknown; after: unknown; members: string[] };

const PAIRS = [
  ["before", "after"],
  ["old", "new"],
  ["from", "to"],
  ["oldValue", "newValue"],
] as const;

/** A member's old and new value, where it is written as such a pair and nothing else. */
function pairOf(value: unknown): [before: unknown, after: unknown] | null {
  if (!isObject(value)) return null;
  const names = Object.keys(value);
  const pair = PAIRS.find((one) => names.length > 0 && names.every((name) => one.some((known) => known === name)));
  return pair ? [value[pair[0]], value[pair[1]]] : null;
}

/** { name: { old, new } } as the states before and after. */
function fromPairs(changes: unknown): Changes | null {
  if (!isObject(changes) || Object.keys(changes).length === 0) return null;
  const pairs = Object.entries(changes).map(([name, value]) => [name, pairOf(value)] as const);
  if (pairs.some(([, pair]) => pair === null)) return null;
  const side = (at: 0 | 1) =>
    Object.fromEntries(pairs.flatMap(([name, pair]) => (pair?.[at] === undefined ? [] : [[name, pair[at]]])));
  return { before: side(0), after: side(1), members: ["changes"] };
}

/** What the act changed, where the entry says so: as two states, or member by member. */
export function changesOf(entry: Entry): Changes | null {
  const { before, after, changes } = entry.details;
  if (before === undefined && after === undefined) return fromPairs(changes);
  return { before: before ?? {}, after: after ?? {}, members: ["before", "after"] };
}
