import { evidenceLine } from "./evidence";
import { evidenceBrowserLine } from "./evidence-browser";
import { fairSharesLine } from "./fair-shares";
import { feedKillLine, forgottenSizeLine } from "./feed-kills";
import { fuzzLine } from "./fuzz";
import { hostileLine } from "./hostile";
import { importKillLine, importMarkLine } from "./import-kills";
import { importLawLine } from "./import-laws";
import { exportLines } from "./jobs/export";
import { migrationLines } from "./jobs/migration";
import { pruneLines } from "./jobs/prune";
import { treeLines, verificationLines } from "./jobs/verification";
import { earlyAnswerLine, killLines, lazyKillLine } from "./kills";
import { liveLine } from "./live";
import { clockLines } from "./machine/clock";
import { diskLines } from "./machine/disk";
import { malformedLine } from "./malformed";
import { proxyLine } from "./proxy";
import { rereadLine, ruleKillLine } from "./rule-kills";
import { slowFilesLine } from "./slow-files";
import { soakLine } from "./soak/soak";
import { streamsLine } from "./soak/streams";
import { droppedQueueLine, frozenLine, stopLine, waitingRecorderLine } from "./stops";
import { forgottenLimitsLine, streamKillLine } from "./stream-kills";
import { deletionsLine, headsLine } from "./tampering";
import { badValuesLine, cleanLine, csvLine, hashLine, sequencesLine, tenantsLine } from "./tests";
import type { Line } from "./types";
import { FORMER_CHECKOUT, upgradeLine } from "./upgrade";

/** Rounds of a test in quick and full runs. */
type Sized = { line: Line; quick: number; full: number; slow?: true };

/** Too slow for every run: quick runs include these only by name. */
const slow = (lines: Line[], quick: number, full: number): Sized[] =>
  lines.map((line) => ({ line, quick, full, slow: true }));

export const LINES: Sized[] = [
  ...killLines.map((line) => ({ line, quick: 2, full: 50 })),
  { line: lazyKillLine, quick: 3, full: 50 },
  { line: streamKillLine, quick: 3, full: 30 },
  { line: feedKillLine, quick: 2, full: 20 },
  ...slow([forgottenLimitsLine, forgottenSizeLine], 3, 10),
  { line: ruleKillLine, quick: 2, full: 20 },
  ...slow([rereadLine], 1, 3),
  { line: liveLine, quick: 1, full: 50 },
  { line: importKillLine, quick: 5, full: 20 },
  ...slow([importMarkLine], 5, 20),
  ...slow([earlyAnswerLine, droppedQueueLine, waitingRecorderLine], 1, 3),
  ...slow([...pruneLines, ...migrationLines, ...exportLines, ...verificationLines, ...treeLines], 2, 20),
  ...slow([evidenceBrowserLine], 1, 20),
  ...slow([...clockLines, ...diskLines], 1, 10),
  { line: slowFilesLine, quick: 1, full: 10 },
  { line: frozenLine, quick: 1, full: 5 },
  { line: stopLine, quick: 1, full: 20 },
  { line: fuzzLine, quick: 2, full: 850 },
  { line: hostileLine, quick: 1, full: 50 },
  { line: malformedLine, quick: 4, full: 160 },
  { line: deletionsLine, quick: 1, full: 20 },
  { line: evidenceLine, quick: 1, full: 20 },
  { line: headsLine, quick: 1, full: 10 },
  { line: fairSharesLine, quick: 1, full: 10 },
  { line: proxyLine, quick: 1, full: 1 },
  // `npm test vitest` already has their few cases.
  ...slow([importLawLine], 1, 100),
  ...slow([cleanLine], 30, 1_000),
  ...slow([hashLine], 800, 100_000),
  ...slow([sequencesLine], 10, 1_000),
  ...slow([tenantsLine], 2_000, 10_000),
  ...slow([badValuesLine], 5_000, 5_000),
  ...slow([csvLine], 1_000, 100_000),
  ...slow([soakLine, streamsLine], 1, 1),
  ...(FORMER_CHECKOUT ? [{ line: upgradeLine, quick: 1, full: 1 }] : []),
];
