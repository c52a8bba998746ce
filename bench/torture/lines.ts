import { evidenceLine } from "./evidence";
import { evidenceBrowserLine } from "./evidence-browser";
import { fairSharesLine } from "./fair-shares";
import { feedKillLines } from "./feed-kills";
import { fuzzLine } from "./fuzz";
import { hostileLine } from "./hostile";
import { importKillLines } from "./import-kills";
import { importLawLine } from "./import-laws";
import { exportLines } from "./jobs/export";
import { migrationLines } from "./jobs/migration";
import { pruneLines } from "./jobs/prune";
import { treeLines, verificationLines } from "./jobs/verification";
import { databaseKillLines, serverKillLines } from "./kills";
import { liveLine } from "./live";
import { clockLines } from "./machine/clock";
import { diskLines } from "./machine/disk";
import { malformedLine } from "./malformed";
import { proxyLine } from "./proxy";
import { ruleKillLines } from "./rule-kills";
import { slowFilesLine } from "./slow-files";
import { soakLine } from "./soak/soak";
import { streamsLine } from "./soak/streams";
import { frozenLines, stopLines } from "./stops";
import { streamKillLines } from "./stream-kills";
import { deletionsLine, headsLine } from "./tampering";
import { badValuesLine, cleanLine, csvLine, hashLine, sequencesLine, tenantsLine } from "./tests";
import type { Line } from "./types";
import { FORMER_CHECKOUT, upgradeLine } from "./upgrade";

/** Rounds of a test in quick and full runs. */
type Sized = { line: Line; quick: number; full: number; slow?: true };

/** Lines that take too long for every run: a quick run has these where they are asked for by name. */
const slow = (lines: Line[], quick: number, full: number): Sized[] =>
  lines.map((line) => ({ line, quick, full, slow: true }));

type Rounds = { quick: number; full: number };

/** A line for every run, and its control, which a quick run has where it is asked for by name. */
const withControl = ([line, control]: Line[], rounds: Rounds, ofControl: Rounds): Sized[] => [
  ...(line ? [{ line, ...rounds }] : []),
  ...(control ? slow([control], ofControl.quick, ofControl.full) : []),
];

const [databaseKillLine, lazyKillLine] = databaseKillLines;

export const LINES: Sized[] = [
  { line: databaseKillLine, quick: 2, full: 50 },
  { line: lazyKillLine, quick: 3, full: 50 },
  ...withControl(serverKillLines, { quick: 2, full: 50 }, { quick: 1, full: 3 }),
  ...withControl(streamKillLines, { quick: 3, full: 30 }, { quick: 3, full: 10 }),
  ...withControl(feedKillLines, { quick: 2, full: 20 }, { quick: 3, full: 10 }),
  ...withControl(ruleKillLines, { quick: 2, full: 20 }, { quick: 1, full: 3 }),
  { line: liveLine, quick: 1, full: 50 },
  ...withControl(importKillLines, { quick: 5, full: 20 }, { quick: 5, full: 20 }),
  ...slow([...pruneLines, ...migrationLines, ...exportLines, ...verificationLines, ...treeLines], 2, 20),
  ...slow([evidenceBrowserLine], 1, 20),
  ...slow([...clockLines, ...diskLines], 1, 10),
  { line: slowFilesLine, quick: 1, full: 10 },
  ...withControl(frozenLines, { quick: 1, full: 5 }, { quick: 1, full: 3 }),
  ...withControl(stopLines, { quick: 1, full: 20 }, { quick: 1, full: 3 }),
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
