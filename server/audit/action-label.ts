import { ACTIONS } from "./actions";

const known = (action: string) => (Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined);

/** Past tense of the verbs that codes end in, where adding "d" or "ed" would be wrong. */
const IRREGULAR: Record<string, string> = {
  run: "ran",
  send: "sent",
  read: "read",
  set: "set",
  get: "got",
  begin: "began",
  submit: "submitted",
  stop: "stopped",
  login: "signed in to",
  logout: "signed out of",
};
const VERBS =
  /^(create|update|delete|remove|add|enable|disable|start|finish|cancel|approve|reject|assign|unassign|install|uninstall|restart|reboot|sync|upload|download|import|export|execute|evaluate|acknowledge|resolve|suppress|revoke|rotate|archive|restore|rename|move|lock|unlock|view|access|change|grant|deny|connect|disconnect|enroll|decommission|isolate|scan|deploy)$/;

function pastTense(verb: string): string | null {
  if (IRREGULAR[verb]) return IRREGULAR[verb];
  if (!VERBS.test(verb)) return null;
  if (verb === "deny") return "denied";
  if (verb === "cancel") return "cancelled";
  if (verb === "scan") return "scanned";
  return verb.endsWith("e") ? `${verb}d` : `${verb}ed`;
}

/** An unknown code in words: "patch_job.approve" is "approved patch job", "a.b.c" is "a b c". */
function prettify(action: string): string {
  const words = action.split(/[.\s]+/).map((part) => part.replace(/[_-]+/g, " ").trim());
  const parts = words.filter(Boolean);
  const verb = pastTense((parts.at(-1) ?? "").toLowerCase());
  if (verb && parts.length > 1) return `${verb} ${parts.slice(0, -1).join(" ")}`;
  return parts.join(" ") || action.trim() || "unknown action";
}

/** The human form of an action code: "device.create" is "created device". Never blank. */
export const actionLabel = (action: string): string => known(action)?.label ?? prettify(action);

/** One entry as a sentence: "Jane Doe created device WS-042". */
export function actionSentence(entry: { actor: string; action: string; resourceName?: string | null }): string {
  const label = actionLabel(entry.action);
  const about = known(entry.action)?.about;
  const name = entry.resourceName?.trim();
  if (!name || about === null) return `${entry.actor} ${label}`;
  return `${entry.actor} ${about ? about.replace("{name}", () => name) : `${label} ${name}`}`;
}
