import { HOUR_MS, MINUTE_MS } from "@/server/ground/time/durations";

/** Denied actions within an hour that count as many, and the number below which it ends. */
export const MANY_DENIALS = 25;
export const FEW_DENIALS = 10;
/** An organization is silent if none of its agents was heard for this long. */
export const SILENT_AFTER_MS = 30 * MINUTE_MS;
/** A gap in a stream is reported for this long. */
export const GAP_SHOWN_MS = 7 * 24 * HOUR_MS;
/** Lost audit events are reported for this long. */
export const LOSS_SHOWN_MS = 7 * 24 * HOUR_MS;

/**
 * Properties of a notification kind. `holds`: how long a condition must last before notifying; `isWatched`: only
 * observed time counts; `isNoisy`: off by default; `isUrgent`: mailed to administrators by default.
 */
type Kind = { label: string; means: string; holdsMs: number; isWatched?: true; isNoisy?: true; isUrgent?: true };

const kinds = {
  "chain.broken": {
    label: "Broken chain",
    means: "The log was changed, or does not match its signature.",
    holdsMs: 0,
    isUrgent: true,
  },
  "chain.head_lost": {
    label: "Chain end missing",
    means: "A chain lost its head or its end. New entries may be held until it is repaired.",
    holdsMs: 0,
    isUrgent: true,
  },
  "chain.unproven": {
    label: "Chain not proven",
    means: "Nothing contradicts the audit log, but it has not been proven intact for an hour or more.",
    holdsMs: HOUR_MS,
  },
  "witness.away": {
    label: "Witness not responding",
    means: "No signature from a witness for a day.",
    holdsMs: 24 * HOUR_MS,
  },
  "pruning.off": {
    label: "Retention not running",
    means: "Retention policies exist, but expired entries are not removed.",
    holdsMs: HOUR_MS,
  },
  "events.lost": {
    label: "Lost audit events",
    means: "A server process lost audit events, or set events aside that the database refused.",
    holdsMs: 0,
    isUrgent: true,
  },
  "agents.silent": {
    label: "No agent online",
    means: "Nothing has been heard from any agent of an organization for half an hour or more.",
    holdsMs: 15 * MINUTE_MS,
    isWatched: true,
  },
  "denials.many": {
    label: "Many denials",
    means: `At least ${MANY_DENIALS} entries of the last hour were denied.`,
    holdsMs: 0,
    isNoisy: true,
  },
  "detection.alert": {
    label: "Alert",
    means: "A detection rule found something in the audit log of an organization, and nobody has dealt with it.",
    holdsMs: 0,
    isUrgent: true,
  },
  "webhook.disabled": {
    label: "Webhook disabled",
    means:
      "This server disabled a webhook endpoint: it answered 410 Gone, or nothing could be delivered to it for 5 days.",
    holdsMs: 0,
  },
  "stream.failing": {
    label: "Stream failing",
    means: "Entries of a data stream have not reached its receiver for an hour or more. They are tried again.",
    holdsMs: HOUR_MS,
  },
  "stream.blocked": {
    label: "Stream blocked",
    means: "A data stream waits for a person: its receiver refuses it, or has been gone for 30 days.",
    holdsMs: 0,
  },
  "stream.gap": {
    label: "Gap in a stream",
    means:
      "Entries never reached a data stream's receiver: retention removed them first, or the receiver refused them.",
    holdsMs: 0,
  },
} as const satisfies Record<string, Kind>;

export type NotificationKind = keyof typeof kinds;
export const KINDS: Readonly<Record<NotificationKind, Kind>> = kinds;
export const isKind = (text: string): text is NotificationKind => Object.hasOwn(kinds, text);
export const KIND_NAMES = Object.keys(kinds).filter(isKind);

/** Defaults: all but noisy kinds in the product; urgent ones by mail for people who manage. */
export const DEFAULT_PRODUCT_KINDS = KIND_NAMES.filter((kind) => !KINDS[kind].isNoisy);
export const DEFAULT_MAIL_KINDS = KIND_NAMES.filter((kind) => KINDS[kind].isUrgent);
