import { withVisibleMarks } from "@/server/ground/text";
import { ACTIONS } from "./actions";
import type { AuditResult } from "./vocabulary";

const known = (action: string) => (Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined);

/** Past tense of verbs that takes more than "d" or "ed". */
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

/** The verbs that unknown codes may end in. */
const VERBS =
  /^(create|update|delete|remove|add|enable|disable|start|finish|cancel|approve|reject|assign|unassign|install|uninstall|restart|reboot|sync|upload|download|import|export|execute|evaluate|acknowledge|resolve|suppress|revoke|rotate|archive|restore|rename|move|lock|unlock|view|access|change|grant|deny|connect|disconnect|enroll|decommission|isolate|scan|deploy|run|send|read|set|get|begin|submit|stop)$/;
const PHRASAL = new Map([
  ["login", "sign in to"],
  ["logout", "sign out of"],
]);

/** What was to be done in words; a code without a verb that we know has none: "remote.session" is "remote session". */
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

/** The human form of an action code, as if it was done: "device.create" is "created device". Never blank. */
export function actionLabel(action: string): string {
  const { words, hasVerb } = phraseOf(action);
  return hasVerb ? inPast(words) : words;
}

/** Words with what became of them: done, tried and failed, or not allowed. A sentence never claims more than happened. */
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
  /** The target; blank where the entry names nothing. */
  resourceName?: string | null;
  resourceType?: string;
  /** True when an agent acts on the device that it runs on: the device is not named twice. */
  isOwn?: boolean;
  /** The device that the details name, where it is another than the resource. */
  device?: string | null;
  organization?: string | null;
};

/** True for an act with a separate sentence for agents: its actor is then the device itself. */
export const hasAgentSentence = (action: string): boolean => known(action)?.itself !== undefined;

/** The template of a sentence without its actor: names are in braces. */
function templateOf({ action, result, isOwn, ...parts }: SentenceParts): string {
  const { words, hasVerb } = phraseOf(action);
  // A script that is executed on a device is not called by the device's name.
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

/** A piece of a sentence; names carry weight. */
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
 * One entry as a sentence: "Jane Doe created device WS-042", with the reason of a failure or denial. source: what it begins
 * with where the server did not see it happen (provenance.ts).
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

/** The words of an action's sentences but for the names in them, for a search that finds what the screen says. */
export const sentenceWords = (action: string, result: AuditResult): string =>
  [
    templateOf({ action, result }),
    templateOf({ action, result, resourceName: "x" }),
    templateOf({ action, result, resourceName: "x", resourceType: "device" }),
    ...(known(action)?.itself ? [templateOf({ action, result, isOwn: true })] : []),
  ]
    .join("\n")
    .replace(/\{[a-z]+\}/g, "\n");
