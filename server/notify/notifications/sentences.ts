import { z } from "zod";
import { inOneLine } from "@/server/ground/text";
import { FEW_DENIALS, type NotificationKind } from "@/server/notify/vocabulary";

/** What a condition has to say of itself; which members it has depends on its kind. */
export const detail = z.object({
  count: z.number().optional(),
  setAside: z.number().optional(),
  seq: z.number().optional(),
  names: z.array(z.string()).optional(),
  /** What tells them apart where names change. */
  ids: z.array(z.string()).optional(),
  /** Since when each has it that shares the condition; names are those of them that have had it for long enough. */
  seen: z.array(z.object({ name: z.string(), since: z.iso.datetime() })).optional(),
  reasons: z.array(z.string()).optional(),
  at: z.iso.datetime().optional(),
  status: z.string().optional(),
});
export type Detail = z.output<typeof detail>;

const numbers = new Intl.NumberFormat("en-GB");
const times = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium", timeZone: "UTC" });

const count = (n = 0, one = "", many = `${one}s`): string => `${numbers.format(n)} ${n === 1 ? one : many}`;
const time = (at: string | Date | undefined): string =>
  at === undefined ? "a while" : `${times.format(new Date(at))} UTC`;
const list = (names: readonly string[] = []): string => names.join(", ");

/** What is said of an organization's condition when it begins and when it is over. */
type Sentences = {
  raised: (org: string, detail: Detail, since: Date) => string;
  resolved: (org: string, detail: Detail) => string;
};

const proven = (org: string, { status, seq }: Detail): string => {
  if (status === "intact") return `The audit chain of ${org} is intact through entry ${numbers.format(seq ?? 0)}.`;
  if (status === "broken") return `The audit chain of ${org} is no longer only unproven: it is broken.`;
  return `The audit chain of ${org} has no entries any more.`;
};

function lost({ count: dropped = 0, setAside = 0, at }: Detail): string {
  const gone =
    dropped > 0 && `${count(dropped, "audit event")} ${dropped === 1 ? "was" : "were"} lost, the last at ${time(at)}`;
  const aside =
    setAside > 0 &&
    `${count(setAside, "audit event")} ${setAside === 1 ? "was" : "were"} refused by the database and set aside`;
  const whose = dropped + setAside === 1 ? "It" : "They";
  return `${[gone, aside].filter(Boolean).join("; ")}. ${whose} may belong to any organization of this installation.`;
}

/** Rows of an older version know since when one is away, not since when each of several is. */
function away({ names = [], seen }: Detail, since: Date): string[] {
  const known = seen ?? names.map((name) => ({ name, since: names.length === 1 ? since : undefined }));
  return known.map((one) => `the witness ${one.name}${one.since ? ` since ${time(one.since)}` : ""}`);
}

const SENTENCES: Record<NotificationKind, Sentences> = {
  "chain.broken": {
    raised: (org, { seq }) =>
      `The audit chain of ${org} is broken. The first contradiction found is at entry ${numbers.format(seq ?? 0)}.`,
    resolved: (org) => `A later verification of the whole audit chain of ${org} found no contradiction.`,
  },
  "chain.head_lost": {
    raised: (org) =>
      `The audit chain of ${org} lost its head or its end. New entries may be held until it is repaired.`,
    resolved: (org) => `The audit chain of ${org} has its head again.`,
  },
  "chain.unproven": {
    raised: (org, { reasons = [] }) => [`The audit chain of ${org} is not proven.`, ...reasons].join(" "),
    resolved: proven,
  },
  "witness.away": {
    raised: (_, detail, since) =>
      `None of the newest checkpoints has carried a cosignature of ${away(detail, since).join(", nor of ")}.`,
    resolved: () => "Each witness of the policy has cosigned one of the newest checkpoints.",
  },
  "pruning.off": {
    raised: () =>
      "Expired entries are not removed, regardless of the retention policies: AUDIT_ADMIN_DATABASE_URL is not set.",
    resolved: () => "Pruning is on.",
  },
  "events.lost": {
    raised: (_, detail) => lost(detail),
    resolved: () =>
      "No audit event was lost within the last 7 days, and none is set aside. What was lost before stays lost.",
  },
  "agents.silent": {
    raised: (org, { count: agents = 0, at }) =>
      agents === 1
        ? `Nothing has been heard from the agent of ${org} since ${time(at)}.`
        : `Nothing has been heard from any of the ${numbers.format(agents)} agents of ${org} since ${time(at)}.`,
    resolved: (org, { at }) => (at ? `An agent of ${org} was heard from again.` : `${org} has no agents any more.`),
  },
  "denials.many": {
    raised: (org, { count: denied }) => `${count(denied, "entry", "entries")} of ${org} within one hour were denied.`,
    resolved: (org) => `Fewer than ${FEW_DENIALS} entries of ${org} were denied within the last hour.`,
  },
  "webhook.disabled": {
    raised: (org, { names = [] }) =>
      names.length === 1
        ? `The webhook endpoint ${list(names)} of ${org} was disabled by this server: it answered 410 Gone, or nothing could be delivered to it for 5 days.`
        : `The webhook endpoints ${list(names)} of ${org} were disabled by this server: each answered 410 Gone, or nothing could be delivered to it for 5 days.`,
    resolved: (org) => `No webhook endpoint of ${org} is disabled because of failures.`,
  },
};

/** A notification as far as its words need it. */
export type Said = { kind: NotificationKind; organization: string; detail: Detail; resolution: Detail; since: Date };

/** How it began, in one line regardless of what the names hold. It claims what was seen and no more. */
export const raisedSentence = ({ kind, organization, detail, since }: Said): string =>
  inOneLine(SENTENCES[kind].raised(organization, detail, since));

/** How it is over. */
export const resolvedSentence = ({ kind, organization, resolution }: Said): string =>
  inOneLine(SENTENCES[kind].resolved(organization, resolution));
