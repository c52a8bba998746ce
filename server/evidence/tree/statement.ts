import { fromBase64, toBase64 } from "./signed-note";
import { HASH_BYTES } from "./tree";

const SHAPE = /^(?!0000)\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/**
 * Whether a text is a time as signed texts write it: ISO 8601 in UTC with milliseconds, from the year 1 on, and a day that
 * the calendar has. Some engines read 30 February as a day in March, others as none: no verifier's reading may depend on that.
 */
export function isInstant(text: string): boolean {
  const ms = SHAPE.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(ms) && new Date(ms).toISOString() === text;
}

/** The time that a witness names, in seconds since 1970 UTC, as text. */
export const timeOfSeconds = (seconds: number, format = (at: Date) => at.toISOString()): string =>
  format(new Date(seconds * 1000));

/**
 * That a log was restored to an older state than it had signed, and continues from there. Every later checkpoint says so,
 * under its signature: no verifier, here or elsewhere, calls whole what has lost entries.
 */
export type Restoration = {
  /** How many entries are proven to be those that were signed before. */
  proven: number;
  /** How many a checkpoint had signed; of those behind `proven` some are not in the log. */
  lost: number;
  /** The root of that checkpoint, in base64. */
  root: string;
  /** When it was recorded, ISO 8601. */
  at: string;
};

/** The entries that a verdict is about; a range of times may have held any of those that were lost. */
export type AboutRange = { first: number; last: number } | "whole" | "time";

/** Whether entries that were lost may have been among these. */
const concerns = ({ proven, lost }: Restoration, about: AboutRange): boolean =>
  typeof about === "string" || (about.first <= lost && about.last > proven);

/** A sentence for each restoration that stands against calling a range whole. */
export const restoredReasons = (restored: readonly Restoration[], about: AboutRange): string[] =>
  restored
    .filter((one) => concerns(one, about))
    .map(
      ({ proven, lost, at }) =>
        `The log was restored to an older state on ${at}: of the entries ${proven + 1} to ${lost} that had been signed, some are not in it.`,
    );

/** Whether a checkpoint covers entries that a later restoration left behind. */
export const isSuperseded = (note: { size: number; signedAt: string }, restored: readonly Restoration[]): boolean =>
  restored.some(({ proven, at }) => note.signedAt < at && note.size > proven);

/**
 * The five texts that an installation signs with its one key, distinguished by their first lines: a checkpoint names the
 * root over all entries of an organization, a receipt permits retention to remove a prefix, a seal ends a bundle, a
 * manifest stands beside an archived one, and a restoration says that the log continues from an older state than had been
 * signed.
 */

/** All entries of one organization up to a size (c2sp.org/tlog-checkpoint). */
export type TreeCheckpoint = {
  origin: string;
  size: number;
  root: Uint8Array;
  signedAt: string;
  /** Each restoration of the log before it, oldest first. */
  restored?: readonly Restoration[];
};
/** The log of an origin was restored to an older state. */
export type RestoredStatement = Restoration & { origin: string };
/**
 * Retention may remove the entries up to `through`, all older than `before`, under a window of `days` that the entry
 * `policySeq` of the log set; 0 for the one that every log begins with.
 */
export type PruneReceipt = Window & { origin: string; through: number; before: string; signedAt: string };
/** How long entries are kept, and the sequence of the entry that says so. */
export type Window = { days: number; policySeq: number };
/** Every log begins with this window, which no entry sets. */
export const FIRST_WINDOW: Window = { days: 365, policySeq: 0 };

/** Under which window retention removed entries, in words. */
export const windowText = ({ days, policySeq }: Window): string =>
  `the window of ${days} days that ${policySeq === 0 ? "every log begins with" : `entry ${policySeq} set`}`;
/** The digest of every byte of a bundle before its last line, or of the manifest of an archived one. */
export type BundleSeal = { origin: string; digest: Uint8Array };

const RECEIPT = "trailmark/prune/v1";
const SEAL = "trailmark/bundle/v2";
const MANIFEST = "trailmark/archive/v1";
const RESTORED = "trailmark/restored/v1";
const NUMBER = /^(0|[1-9]\d{0,14})$/;
const ORGANIZATION = /.\/log\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** The origin of an organization's log; the path keeps it apart from the origins of version 1, `HOST/audit/ORG`. */
export const originOf = (host: string, orgId: string): string => `${host}/log/${orgId}`;

/** The organization that an origin names, or null. */
export const orgIdOf = (origin: string): string | null => ORGANIZATION.exec(origin)?.[1] ?? null;

const restoredLine = ({ proven, lost, root, at }: Restoration): string => `restored ${proven} ${lost} ${root} ${at}\n`;

export const checkpointText = ({ origin, size, root, signedAt, restored = [] }: TreeCheckpoint): string =>
  `${origin}\n${size}\n${toBase64(root)}\nsigned-at ${signedAt}\n${restored.map(restoredLine).join("")}`;

export const restoredText = ({ origin, proven, lost, root, at }: RestoredStatement): string =>
  `${RESTORED}\n${origin}\nproven ${proven}\nlost ${lost}\n${root}\nsigned-at ${at}\n`;

export const receiptText = ({ origin, through, before, days, policySeq, signedAt }: PruneReceipt): string =>
  `${RECEIPT}\n${origin}\n${through}\nbefore ${before}\ndays ${days}\npolicy ${policySeq}\nsigned-at ${signedAt}\n`;

export const sealText = ({ origin, digest }: BundleSeal): string => `${SEAL}\n${origin}\n${toBase64(digest)}\n`;

export const manifestText = ({ origin, digest }: BundleSeal): string => `${MANIFEST}\n${origin}\n${toBase64(digest)}\n`;

const numberIn = (text: string | null | undefined): number | null => (text && NUMBER.test(text) ? Number(text) : null);

function hashIn(text: string | undefined): Uint8Array | null {
  const bytes = text ? fromBase64(text) : null;
  return bytes?.length === HASH_BYTES ? bytes : null;
}

/** What follows a word on a separate line. */
function afterWord(line: string | undefined, word: string): string | null {
  return line?.startsWith(`${word} `) ? line.slice(word.length + 1) : null;
}

function instantOf(line: string | undefined, word: string): string | null {
  const text = afterWord(line, word);
  return text !== null && isInstant(text) ? text : null;
}

function restorationOf(parts: (string | null | undefined)[]): Restoration | null {
  const [proven, lost, root, at] = parts;
  const fields = { proven: numberIn(proven ?? ""), lost: numberIn(lost ?? ""), at: instantOf(`at ${at}`, "at") };
  if (fields.proven === null || fields.lost === null || !fields.at || !root || !hashIn(root)) return null;
  return fields.proven < fields.lost ? { proven: fields.proven, lost: fields.lost, root, at: fields.at } : null;
}

/** What a checkpoint's further lines say of restorations; null where one of them cannot be read. */
function restorationsIn(lines: readonly string[]): Restoration[] | null {
  const found = lines
    .filter((line) => line.startsWith("restored"))
    .map((line) =>
      line.startsWith("restored ") && line.split(" ").length === 5 ? restorationOf(line.split(" ").slice(1)) : null,
    );
  return found.every((one): one is Restoration => one !== null) ? found : null;
}

/**
 * A checkpoint's text taken apart; further lines are included in the signature, and of them those about restorations are
 * read. Null when it is none.
 */
export function parseCheckpoint(text: string): TreeCheckpoint | null {
  const [origin, size, root, signed, ...further] = text.split("\n");
  const parsed = { size: numberIn(size), root: hashIn(root), signedAt: instantOf(signed, "signed-at") };
  const restored = restorationsIn(further);
  if (!origin || orgIdOf(origin) === null || parsed.size === null || !parsed.root || !parsed.signedAt) return null;
  return restored && { origin, size: parsed.size, root: parsed.root, signedAt: parsed.signedAt, restored };
}

/** A restoration's text taken apart; null when it is none. */
export function parseRestored(text: string): RestoredStatement | null {
  const [kind, origin, proven, lost, root, signed] = text.split("\n");
  if (kind !== RESTORED || !origin || orgIdOf(origin) === null) return null;
  const fields = restorationOf([
    afterWord(proven, "proven"),
    afterWord(lost, "lost"),
    root,
    instantOf(signed, "signed-at"),
  ]);
  return fields && restoredText({ origin, ...fields }) === text ? { origin, ...fields } : null;
}

/** A receipt's text taken apart; null when it is none. */
export function parseReceipt(text: string): PruneReceipt | null {
  const lines = text.split("\n");
  const [kind, origin, through] = [lines[0], lines[1], numberIn(lines[2])];
  const [before, signedAt] = [instantOf(lines[3], "before"), instantOf(lines[6], "signed-at")];
  const [days, policySeq] = [numberIn(afterWord(lines[4], "days")), numberIn(afterWord(lines[5], "policy"))];
  if (kind !== RECEIPT || !origin || orgIdOf(origin) === null || !before || !signedAt) return null;
  if (through === null || days === null || policySeq === null) return null;
  const receipt = { origin, through, before, days, policySeq, signedAt };
  return receiptText(receipt) === text ? receipt : null;
}

/** A text that signs a digest taken apart; null when it is none. */
function parseDigest(text: string, write: (of: BundleSeal) => string): BundleSeal | null {
  const [, origin, digest] = text.split("\n");
  const bytes = hashIn(digest);
  if (!origin || orgIdOf(origin) === null || !bytes) return null;
  return write({ origin, digest: bytes }) === text ? { origin, digest: bytes } : null;
}

/** A seal's text taken apart; null when it is none. */
export const parseSeal = (text: string): BundleSeal | null => parseDigest(text, sealText);

/** The text of a manifest's note taken apart; null when it is none. */
export const parseManifest = (text: string): BundleSeal | null => parseDigest(text, manifestText);
