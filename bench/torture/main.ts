import { stackOf } from "@/db/thrown";
import { createRandom } from "@/scripts/demo/random";
import { evidenceLine } from "./evidence";
import { fairSharesLine } from "./fair-shares";
import { fuzzLine } from "./fuzz";
import { hostileLine } from "./hostile";
import { importKillLines } from "./import-kills";
import { importLawLine } from "./import-laws";
import { killLines } from "./kills";
import { liveLine } from "./live";
import { malformedLine } from "./malformed";
import { proxyLine } from "./proxy";
import { slowFilesLine } from "./slow-files";
import { frozenLine, stopLine } from "./stops";
import { deletionsLine, headsLine } from "./tampering";
import type { Line, Outcome } from "./types";
import { FORMER_CHECKOUT, upgradeLine } from "./upgrade";

/**
 * `npm run torture [-- --quick | --full] [ID …] [--seed N]`: runs each line on this machine against the built server,
 * prints what was tried and what failed, and exits non-zero on any failure.
 */

const LINES: { line: Line; quick: number; full: number }[] = [
  ...[...killLines, liveLine].map((line) => ({ line, quick: 5, full: 50 })),
  ...importKillLines.map((line) => ({ line, quick: 5, full: 20 })),
  { line: importLawLine, quick: 1, full: 100 },
  { line: slowFilesLine, quick: 1, full: 10 },
  { line: frozenLine, quick: 1, full: 5 },
  { line: stopLine, quick: 1, full: 20 },
  { line: fuzzLine, quick: 3, full: 850 },
  { line: hostileLine, quick: 1, full: 50 },
  { line: malformedLine, quick: 4, full: 160 },
  { line: deletionsLine, quick: 1, full: 20 },
  { line: evidenceLine, quick: 1, full: 20 },
  { line: headsLine, quick: 1, full: 10 },
  { line: fairSharesLine, quick: 1, full: 10 },
  { line: proxyLine, quick: 1, full: 1 },
  ...(FORMER_CHECKOUT ? [{ line: upgradeLine, quick: 1, full: 1 }] : []),
];

const args = process.argv.slice(2);
const seedAt = args.indexOf("--seed");
const seed = seedAt >= 0 ? Number(args[seedAt + 1]) : Date.now() % 1_000_000;
const full = args.includes("--full");
const chosen = args.filter((a, i) => !a.startsWith("--") && (seedAt < 0 || i !== seedAt + 1));

/** A line that hangs is a line that failed; the others still run. On a busy machine a quick line takes minutes all the same. */
const QUICK_LIMIT_MS = 6 * 60_000;
const FULL_LIMIT_MS = 90 * 60_000;
const LIMIT_MS = full ? FULL_LIMIT_MS : QUICK_LIMIT_MS;

function limited(line: Line, rounds: number): Promise<Outcome> {
  let at = "beginning";
  const progress = (what: string) => {
    at = what;
  };
  const limit = new Promise<never>((_, reject) =>
    setTimeout(() => reject(new Error(`no result within ${LIMIT_MS / 1000} s, at: ${at}`)), LIMIT_MS).unref(),
  );
  return Promise.race([line.run({ rounds, random: createRandom(seed).next, progress }), limit]);
}

let failures = 0;
for (const { line, quick, full: many } of LINES) {
  if (chosen.length > 0 && !chosen.includes(line.id)) continue;
  const started = Date.now();
  const outcome = await limited(line, full ? many : quick).catch((error: unknown) => ({
    tried: 0,
    failed: 1,
    detail: stackOf(error),
  }));
  if (outcome.failed > 0) failures++;
  const verdict = outcome.failed > 0 ? "FAILED" : "ok";
  process.stdout.write(
    `${line.id}  ${line.title}: ${verdict}  tried ${outcome.tried}, failed ${outcome.failed}, seed ${seed}, ${((Date.now() - started) / 1000).toFixed(1)} s\n    ${outcome.detail}\n`,
  );
}
process.exit(failures > 0 ? 1 : 0);
