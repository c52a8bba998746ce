import { actionSentence } from "@/server/audit/action-label";
import type { FullEntry } from "@/server/audit/schema";

export type Entry = FullEntry;

const NAME = "\u0000";
const AGENT = /^Agent \((.+)\)$/;

/** The device that an agent runs on, where one acted and its device is known. */
export const hostOf = (entry: Entry): string | null => AGENT.exec(entry.user.name)?.[1] ?? null;

/** An actor's name in the sentence's words: an agent is named by the device that it runs on. */
export const nameInWords = (name: string): string => name.replace(AGENT, "Agent on $1");

/** Who acted. */
export const actorOf = ({ user }: Entry): string => nameInWords(user.name) || user.email || "Someone";

/** The sentence of an entry in parts, so that actor and target can carry weight: [actor, before, target, after]. */
export type Sentence = { actor: string; before: string; target: string; after: string };

/** "Jane Doe created device WS-042" as its parts; an agent that acts on its own device is not named twice. */
export function sentenceOf(entry: Entry): Sentence {
  const actor = actorOf(entry);
  const name = entry.resource.name.trim();
  const own = actor === `Agent on ${name}`;
  const told = actionSentence({ actor: "", action: entry.action, resourceName: name && !own ? NAME : null }).trim();
  const [before = "", after] = told.split(NAME);
  return after === undefined
    ? { actor, before: told, target: "", after: "" }
    : { actor, before: before.trim(), target: name, after: after.trim() };
}

/** The same as plain text, for names and titles. */
export function sentenceText(entry: Entry): string {
  const { actor, before, target, after } = sentenceOf(entry);
  return [actor, before, target, after].filter(Boolean).join(" ");
}

type Changes = { before: unknown; after: unknown };

/** What the act changed, where the entry tells it. */
export function changesOf(entry: Entry): Changes | null {
  const { before, after } = entry.details;
  return before === undefined && after === undefined ? null : { before: before ?? {}, after: after ?? {} };
}
