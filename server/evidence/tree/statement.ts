import { fromBase64, toBase64 } from "./signed-note";
import { HASH_BYTES } from "./tree";

const SHAPE = /^(?!0000)\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/**
 * True for a time as written in signed texts: ISO 8601 in UTC with milliseconds, from year 1 on, with a valid date.
 * Engines differ on 30 February, and no verdict may depend on that.
 */
export function isInstant(text: string): boolean {
  const ms = SHAPE.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(ms) && new Date(ms).toISOString() === text;
}

/** A witness's time, in seconds since 1970 UTC, as text. */
export const timeOfSeconds = (seconds: number, format = (at: Date) => at.toISOString()): string =>
  format(new Date(seconds * 1000));

/**
 * A log was restored to an older state than it had signed, and continues from there. Every later checkpoint states it
 * under its signature, so that no verifier calls a log with lost entries whole.
 */
export type Restoration = {
  /** Number of entries proven to match the signed ones. */
  proven: number;
  /** Entries that a checkpoint had signed; some of those after `proven` are not in the log. */
  lost: number;
  /** Root of that checkpoint, in base64. */
  root: string;
  /** Time of the record, ISO 8601. */
  at: string;
};

/** Entries of a verdict; a time range may have contained any of the lost ones. */
export type AboutRange = { first: number; last: number } | "whole" | "time";

/** True if lost entries may have been among these. */
const concerns = ({ proven, lost }: Restoration, about: AboutRange): boolean =>
  typeof about === "string" || (about.first <= lost && about.last > proven);

/** Sentences on restorations that prevent calling a range whole. */
export const restoredReasons = (restored: readonly Restoration[], about: AboutRange): string[] =>
  restored
    .filter((one) => concerns(one, about))
    .map(
      ({ proven, lost, at }) =>
        `The log was restored to an older state on ${at}: of the entries ${proven + 1} to ${lost} that had been signed, some are not in it.`,
    );

/** True if a checkpoint covers entries that a later restoration dropped. */
export const isSuperseded = (note: { size: number; signedAt: string }, restored: readonly Restoration[]): boolean =>
  restored.some(({ proven, at }) => note.signedAt < at && note.size > proven);

/**
 * The five texts signed by an installation's key, distinguished by their first lines: a checkpoint names the root over
 * all entries of an organization, a receipt permits retention to remove a prefix, a seal ends a bundle, a manifest
 * accompanies an archived one, and a restoration states that the log continues from an older state than signed.
 */

/** Entries of one organization up to a size (c2sp.org/tlog-checkpoint). */
export type TreeCheckpoint = {
  origin: string;
  size: number;
  root: Uint8Array;
  signedAt: string;
  /** Earlier restorations of the log, oldest first. */
  restored?: readonly Restoration[];
};
/** The log of an origin was restored to an older state. */
export type RestoredStatement = Restoration & { origin: string };
/**
 * Retention may remove the entries up to `through`, all older than `before`, under a window of `days` set by log entry
 * `policySeq`; 0 for the initial window.
 */
export type PruneReceipt = Window & { origin: string; through: number; before: string; signedAt: string };
/** Retention period, and the sequence of the entry that set it. */
export type Window = { days: number; policySeq: number };
/** Initial window of every log, set by no entry. */
export const FIRST_WINDOW: Window = { days: 365, policySeq: 0 };

/** The window under which entries were removed, in words. */
export const windowText = ({ days, policySeq }: Window): string =>
  `the window of ${days} days that ${policySeq === 0 ? "every log begins with" : `entry ${policySeq} set`}`;
/** Digest of every byte of a bundle before its last line, or of the manifest of an archived one. */
export type BundleSeal = { origin: string; digest: Uint8Array };

const RECEIPT = "trailmark/prune/v1";
const SEAL = "trailmark/bundle/v2";
const MANIFEST = "trailmark/archive/v1";
const RESTORED = "trailmark/restored/v1";
const NUMBER = /^(0|[1-9]\d{0,14})$/;
const ORGANIZATION = /.\/log\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Origin of an organization's log; the path differs from version 1 origins, `HOST/audit/ORG`. */
export const originOf = (host: string, orgId: string): string => `${host}/log/${orgId}`;

/** Organization in an origin, or null. */
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

/** Rest of a line after a leading word. */
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

/** Restorations in a checkpoint's extension lines; null if one is malformed. */
function restorationsIn(lines: readonly string[]): Restoration[] | null {
  const found = lines
    .filter((line) => line.startsWith("restored"))
    .map((line) =>
      line.startsWith("restored ") && line.split(" ").length === 5 ? restorationOf(line.split(" ").slice(1)) : null,
    );
  return found.every((one): one is Restoration => one !== null) ? found : null;
}

/**
 * Parses a checkpoint's text. The signature covers further lines, of which only restorations are read. Null if
 * malformed.
 */
export function parseCheckpoint(text: string): TreeCheckpoint | null {
  const [origin, size, root, signed, ...further] = text.split("\n");
  const parsed = { size: numberIn(size), root: hashIn(root), signedAt: instantOf(signed, "signed-at") };
  const restored = restorationsIn(further);
  if (!origin || orgIdOf(origin) === null || parsed.size === null || !parsed.root || !parsed.signedAt) return null;
  return restored && { origin, size: parsed.size, root: parsed.root, signedAt: parsed.signedAt, restored };
}

/** Parses a restoration's text; null if malformed. */
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

/** Parses a receipt's text; null if malformed. */
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

/** Parses a text that signs a digest; null if malformed. */
function parseDigest(text: string, write: (of: BundleSeal) => string): BundleSeal | null {
  const [, origin, digest] = text.split("\n");
  const bytes = hashIn(digest);
  if (!origin || orgIdOf(origin) === null || !bytes) return null;
  return write({ origin, digest: bytes }) === text ? { origin, digest: bytes } : null;
}

/** Parses a seal's text; null if malformed. */
export const parseSeal = (text: string): BundleSeal | null => parseDigest(text, sealText);

/** Parses a manifest's text; null if malformed. */
export const parseManifest = (text: string): BundleSeal | null => parseDigest(text, manifestText);
