import { withVisibleMarks } from "@/server/ground/text";
import { ACTIONS } from "./actions";
import type { AuditResult } from "./vocabulary";

const known = (action: string) => (Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined);

/** Irregular past tenses; regular verbs get "d" or "ed". */
const IRREGULAR: Readonly<Record<string, string>> = {
  be: "was",
  run: "ran",
  send: "sent",
  read: "read",
  set: "set",
  reset: "reset",
  get: "got",
  begin: "began",
  undo: "undid",
  submit: "submitted",
  stop: "stopped",
  cancel: "cancelled",
  scan: "scanned",
};

function pastTense(verb: string): string {
  if (Object.hasOwn(IRREGULAR, verb)) return IRREGULAR[verb] ?? verb;
  if (/[^aeiou]y$/.test(verb)) return `${verb.slice(0, -1)}ied`;
  return verb.endsWith("e") ? `${verb}d` : `${verb}ed`;
}

/** Verbs recognized at the end of unknown codes. */
const VERBS =
  /^(create|update|delete|remove|add|enable|disable|start|finish|cancel|approve|reject|assign|unassign|install|uninstall|restart|reboot|sync|upload|download|import|export|execute|evaluate|acknowledge|resolve|suppress|revoke|rotate|archive|restore|rename|move|lock|unlock|view|access|change|grant|deny|connect|disconnect|enroll|decommission|isolate|scan|deploy|run|send|read|set|get|begin|submit|stop)$/;
const PHRASAL = new Map([
  ["login", "sign in to"],
  ["logout", "sign out of"],
]);

/** An action in the infinitive. A code without a known verb has none: "remote.session" is "remote session". */
type Phrase = { words: string; hasVerb: boolean };

/** An unknown code in words: "patch_job.approve" is "approve patch job". */
function prettify(action: string): Phrase {
  const parts = action
    .split(/[.\s]+/)
    .map((part) => part.replace(/[_-]+/g, " ").trim())
    .filter(Boolean);
  const last = (parts.at(-1) ?? "").toLowerCase();
  const verb = PHRASAL.get(last) ?? (VERBS.test(last) ? last : null);
  if (verb && parts.length > 1) return { words: `${verb} ${parts.slice(0, -1).join(" ")}`, hasVerb: true };
  return { words: parts.join(" ") || action.trim() || "unknown action", hasVerb: false };
}

const phraseOf = (action: string): Phrase => {
  const words = known(action)?.does;
  return words ? { words, hasVerb: true } : prettify(action);
};

const inPast = (words: string): string => words.replace(/^[a-z]+/, pastTense);

/** Past-tense label of an action code: "device.create" is "created device". Never blank. */
export function actionLabel(action: string): string {
  const { words, hasVerb } = phraseOf(action);
  return hasVerb ? inPast(words) : words;
}

/** Adds the outcome: done, tried and failed, or denied. A sentence never claims more than happened. */
function withResult({ words, hasVerb }: Phrase, action: string, result: AuditResult): string {
  if (result === "success" || known(action)?.isResult) return hasVerb ? inPast(words) : words;
  if (result === "failure") return `${hasVerb ? "tried to" : "tried"} ${words}, which failed`;
  return `${hasVerb ? "was denied permission to" : "was denied"} ${words}`;
}

/** The text around the names in an entry's sentence. */
const NAME = "{name}";
const ORGANIZATION = "{organization}";

export type SentenceParts = {
  action: string;
  result: AuditResult;
  /** Target of the action; blank if the entry names none. */
  resourceName?: string | null;
  resourceType?: string;
  /** True when an agent acts on its own device, so the device is not named twice. */
  isOwn?: boolean;
  /** Device named in the details, if it differs from the resource. */
  device?: string | null;
  organization?: string | null;
};

/** True for an action with a separate sentence for agents, in which the device is the actor. */
export const hasAgentSentence = (action: string): boolean => known(action)?.itself !== undefined;

/** Sentence template without the actor; names stand in braces. */
function templateOf({ action, result, isOwn, ...parts }: SentenceParts): string {
  const { words, hasVerb } = phraseOf(action);
  // "Ran script X on WS-042": the script must not take the device's name.
  const isOnDevice = parts.resourceType === "device" && !/\bdevice\b/.test(words);
  const { about = `${words} ${isOnDevice ? "on " : ""}${NAME}`, itself } = known(action) ?? {};
  if (isOwn && itself) {
    const own = parts.organization ? itself : itself.replace(/ (?:of )?\{organization\}$/, "");
    return withResult({ words: own, hasVerb: true }, action, result);
  }
  const named = parts.resourceName?.trim() && !isOwn && about !== null;
  const on = parts.device ? " on {device}" : "";
  return withResult({ words: (named ? about : words) + on, hasVerb }, action, result);
}

/** Part of a sentence; names are emphasized. */
export type Piece = { text: string; isName: boolean };

/** An entry's sentence without its actor, in pieces: "created device " and the name "WS-042". */
export function sentencePieces(parts: SentenceParts): Piece[] {
  const names: Record<string, string> = {
    [NAME]: withVisibleMarks(parts.resourceName?.trim() ?? ""),
    [ORGANIZATION]: withVisibleMarks(parts.organization ?? ""),
    "{device}": withVisibleMarks(parts.device ?? ""),
  };
  return templateOf(parts)
    .split(/(\{(?:name|organization|device)\})/)
    .filter(Boolean)
    .map((text) => (Object.hasOwn(names, text) ? { text: names[text] ?? "", isName: true } : { text, isName: false }));
}

/**
 * One entry as a sentence: "Jane Doe created device WS-042", with the reason of a failure or denial. `source` is the
 * prefix for submitted entries (provenance.ts).
 */
export function actionSentence({
  actor,
  reason,
  source = "",
  ...parts
}: SentenceParts & { actor: string; source?: string; reason?: string | null }): string {
  const sentence = [source, `${actor} `, ...sentencePieces(parts).map((piece) => piece.text)].join("");
  return reason && parts.result !== "success" ? `${sentence}: ${withVisibleMarks(reason)}` : sentence;
}

/** Words of an action's sentences without the names, so that a search finds the text on the screen. */
export const sentenceWords = (action: string, result: AuditResult): string =>
  [
    templateOf({ action, result }),
    templateOf({ action, result, resourceName: "x" }),
    templateOf({ action, result, resourceName: "x", resourceType: "device" }),
    ...(known(action)?.itself ? [templateOf({ action, result, isOwn: true })] : []),
  ]
    .join("\n")
    .replace(/\{[a-z]+\}/g, "\n");
