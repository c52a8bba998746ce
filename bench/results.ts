import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, release, totalmem } from "node:os";
import { join } from "node:path";
import type { Figure } from "./harness";

/** Results of a run, with the duration of each part. */
export type Results = { figures: Figure[]; seconds: Record<string, number> };

const FILE = join("bench", "results.json");
const FULL_FILE = join("bench", "results-full.json");
const REPORT = join("bench", "RESULTS.md");

/** Figures of earlier full runs, if any. */
export function readFull(): Results {
  if (!existsSync(FULL_FILE)) return { figures: [], seconds: {} };
  const { figures, seconds }: Results = JSON.parse(readFileSync(FULL_FILE, "utf8"));
  return { figures, seconds };
}

const inOrder = (figures: readonly Figure[]): Figure[] => [...figures].sort((a, b) => Number(a.row) - Number(b.row));

/** Newly measured rows replace earlier figures. */
function merged(earlier: Results, now: Results): Results {
  const rows = new Set(now.figures.map(({ row }) => row));
  const kept = earlier.figures.filter(({ row }) => !rows.has(row));
  return { figures: inOrder([...kept, ...now.figures]), seconds: { ...earlier.seconds, ...now.seconds } };
}

function machine(): string {
  const gib = (totalmem() / 2 ** 30).toFixed(0);
  const model = cpus()[0]?.model.trim() ?? "unknown processor";
  return `${availableParallelism()} cores (${model}), ${gib} GiB of memory, Linux ${release()}, Node ${process.versions.node}`;
}

/** Row, name, value, reference, ratio and target of a figure. */
const cellsOf = (f: Figure, none: string): string[] => [
  f.row,
  f.name,
  `${f.value} ${f.unit}`.trim(),
  f.reference === null ? none : `${f.reference} ${f.unit}`.trim(),
  String(f.ratio),
  f.target,
];

const line = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;

const HEAD = ["row", "what", "value", "reference", "ratio", "target", "ok"];
const NAME = 1;

/** Prints the table of a run. */
export function printTable(figures: readonly Figure[]): void {
  const rows = figures.map((f) => ({ cells: [...cellsOf(f, "-"), f.ok ? "yes" : "NO"], detail: f.detail }));
  const widths = HEAD.map((title, i) => Math.max(title.length, ...rows.map(({ cells }) => cells[i]?.length ?? 0)));
  const toLine = (cells: string[]) =>
    widths.map((width, i) => cells[i]?.[i === NAME ? "padEnd" : "padStart"](width)).join("  ");
  const lines = rows.map(({ cells, detail }) => `${toLine(cells)}${detail ? `  (${detail})` : ""}`);
  const reached = figures.filter(({ ok }) => ok).length;
  const summary = `${reached} of ${figures.length} reached; Node ${process.versions.node}, ${availableParallelism()} cores`;
  process.stdout.write(
    ["", toLine(HEAD), widths.map((w) => "-".repeat(w)).join("  "), ...lines, "", summary, ""].join("\n"),
  );
}

function reportOf({ figures, seconds }: Results): string {
  const reached = figures.filter(({ ok }) => ok).length;
  const rows = figures.map((f) => line([...cellsOf(f, "–"), f.ok ? "yes" : "**no**", f.detail]));
  const parts = Object.entries(seconds).map(([title, s]) => line([title, s.toFixed(0)]));
  const total = Object.values(seconds).reduce((sum, s) => sum + s, 0);
  return [
    "# Figures at full size",
    "",
    "`npm run bench -- --full`: 2,000,000 audit rows in one organization of 101, everything durable (fsync and",
    "synchronous_commit on). Each figure is a ratio of two sides measured in turn in one run; absolute values depend on the",
    "machine. Rows that were measured again stand here with their last figures; the others are of an earlier version.",
    "",
    `Machine: ${machine()}. ${new Date().toISOString().slice(0, 10)}. ${reached} of ${figures.length} reached.`,
    "",
    "| Row | What | Value | Measured against | Ratio | Target | Reached | Detail |",
    "|---|---|---|---|---|---|---|---|",
    ...rows,
    "",
    `How long each part took (${(total / 60).toFixed(0)} minutes in all):`,
    "",
    "| Part | Seconds |",
    "|---|---|",
    ...parts,
    "",
  ].join("\n");
}

/** Writes results so far: bench/results.json, and at full size bench/RESULTS.md and its source. */
export function writeResults(found: Results, isFull: boolean): void {
  writeFileSync(FILE, `${JSON.stringify(inOrder(found.figures), null, 2)}\n`);
  if (!isFull) return;
  const all = merged(readFull(), found);
  writeFileSync(FULL_FILE, `${JSON.stringify(all, null, 2)}\n`);
  writeFileSync(REPORT, reportOf(all));
}
