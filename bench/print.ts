import { availableParallelism } from "node:os";
import type { Figure } from "./harness";

const HEAD = ["row", "what", "value", "reference", "ratio", "target", "ok"];
const LEFT = new Set([1]);

const cells = (f: Figure): string[] => [
  f.row,
  f.name,
  `${f.value} ${f.unit}`.trim(),
  f.reference === null ? "-" : `${f.reference} ${f.unit}`.trim(),
  String(f.ratio),
  f.target,
  f.ok ? "yes" : "NO",
];

/** The table of a run, for people. */
export function printTable(figures: readonly Figure[]): void {
  const lines = [HEAD, ...figures.map(cells)];
  const widths = HEAD.map((_, i) => Math.max(...lines.map((line) => (line[i] as string).length)));
  const toLine = (line: string[]) =>
    line
      .map((cell, i) => (LEFT.has(i) ? cell.padEnd(widths[i] as number) : cell.padStart(widths[i] as number)))
      .join("  ");
  process.stdout.write(`\n${toLine(HEAD)}\n${widths.map((w) => "-".repeat(w)).join("  ")}\n`);
  for (const [i, line] of lines.slice(1).entries()) {
    const { detail } = figures[i] as Figure;
    process.stdout.write(`${toLine(line)}${detail ? `  (${detail})` : ""}\n`);
  }
  const reached = figures.filter(({ ok }) => ok).length;
  process.stdout.write(
    `\n${reached} of ${figures.length} reached; Node ${process.versions.node}, ${availableParallelism()} cores\n`,
  );
}
