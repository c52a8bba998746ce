import { withVisibleMarks } from "@/server/ground/text";
import { hasAgentSentence, type Piece, sentencePieces } from "./action-label";
import { accordingTo } from "./provenance";
import type { ListedEntry } from "./schema";
import { deviceNamed } from "./vocabulary";

/** Entries as sentences, for screens and files. Isomorphic. */

const AGENT = /^Agent \((.+)\)$/;

/** Hostname of the agent's device; null if the actor is not an agent or its device is unknown. */
export const hostOf = (entry: ListedEntry): string | null => AGENT.exec(entry.user.name)?.[1] ?? null;

/** Display name of an actor: an agent is named after its device. */
export const displayName = (name: string): string => name.replace(AGENT, "Agent on $1");

/** The actor's display name. */
export const actorOf = ({ user }: ListedEntry): string => displayName(user.name) || user.email || "Someone";

/** An entry's sentence: the actor, then pieces of text, names emphasized. */
export type Sentence = { actor: string; pieces: Piece[] };

/**
 * "Jane Doe created device WS-042", "… tried to create device WS-042, which failed", "… was denied permission to create
 * device WS-042". A device in the details is named; an agent that acts on its own device is named only once.
 * @param organization the name of the entry's organization, if known
 */
export function sentenceOf(entry: ListedEntry, organization?: string): Sentence {
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

/** The sentence as plain text, for labels and titles, with its source and the reason of a failure or denial. */
export function sentenceText(entry: ListedEntry, organization?: string): string {
  const { actor, pieces } = sentenceOf(entry, organization);
  const sentence = `${accordingTo(entry.submittedBy)}${actor} ${pieces.map(({ text }) => text).join("")}`;
  const error = errorOf(entry);
  return error ? `${sentence}: ${error}` : sentence;
}

/** The reason of a failure or denial; null for a success or when none was recorded. */
export const errorOf = ({ result, errorMessage }: ListedEntry): string | null =>
  result !== "success" && errorMessage ? withVisibleMarks(errorMessage) : null;
