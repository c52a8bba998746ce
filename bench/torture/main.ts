import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { stackOf } from "@/db/thrown";
import keepFolders from "@/testing/temp-folder";
import { createRandom } from "@/testing/world/random";
import type { Outcome, Row } from "./line";
import { ROWS } from "./lines";

/**
 * `npm run torture [-- --quick | --full] [ID …] [--seed N] [--minutes N] [--report FILE]`: runs each test against the
 * built server on this machine, prints attempts and failures (--report: also as JSON), and exits nonzero on any
 * failure.
 */

const { values, positionals: chosen } = parseArgs({
  options: {
    quick: { type: "boolean" },
    full: { type: "boolean" },
    seed: { type: "string" },
    minutes: { type: "string" },
    report: { type: "string" },
  },
  allowPositionals: true,
});
const seed = values.seed === undefined ? Date.now() % 1_000_000 : Number(values.seed);
const minutes = Number(values.minutes ?? 60);
const { full: isFull = false } = values;
const unknown = chosen.filter((id) => !ROWS.some((row) => row.id === id));
if (unknown.length > 0 || !(minutes > 0) || Number.isNaN(seed)) {
  const known = ROWS.map(({ id }) => id).join(" ");
  process.stderr.write(`Unknown: ${unknown.join(", ") || "that number"}. ${known}\n`);
  process.exit(2);
}

/** A hung test fails, and the others still run. On a busy machine quick tests take minutes anyway. */
const LIMIT_MS = (isFull ? 90 : 15) * 60_000;

function limited({ run, quick, full }: Row): Promise<Outcome> {
  let at = "beginning";
  const progress = (what: string) => {
    at = what;
  };
  const limit = new Promise<never>((_, reject) =>
    setTimeout(() => reject(new Error(`no result within ${LIMIT_MS / 1000} s, at: ${at}`)), LIMIT_MS).unref(),
  );
  const rounds = isFull ? full : quick;
  return Promise.race([run({ rounds, isFull, random: createRandom(seed).next, minutes, progress }), limit]);
}

const verdictOf = ({ failed, skipped }: Outcome): "ok" | "FAILED" | "SKIPPED" => {
  if (skipped) return "SKIPPED";
  return failed > 0 ? "FAILED" : "ok";
};

process.once("exit", keepFolders());

const results: ({ id: string; verdict: string } & Outcome)[] = [];
const counts = { ok: 0, FAILED: 0, SKIPPED: 0 };
for (const row of ROWS) {
  const { id, title, slow } = row;
  if (chosen.length > 0 ? !chosen.includes(id) : slow && !isFull) continue;
  const started = Date.now();
  const outcome: Outcome = await limited(row).catch((error: unknown) => ({
    tried: 0,
    failed: 1,
    detail: stackOf(error),
  }));
  const verdict = verdictOf(outcome);
  counts[verdict]++;
  results.push({ ...outcome, id, verdict });
  process.stdout.write(
    `${id}  ${title}: ${verdict}  tried ${outcome.tried}, failed ${outcome.failed}, seed ${seed}, ${((Date.now() - started) / 1000).toFixed(1)} s\n    ${outcome.detail}\n`,
  );
}
if (values.report) writeFileSync(values.report, JSON.stringify(results));
process.stdout.write(`${counts.ok} lines ok, ${counts.FAILED} failed, ${counts.SKIPPED} skipped\n`);
process.exit(counts.FAILED > 0 ? 1 : 0);
