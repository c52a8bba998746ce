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
