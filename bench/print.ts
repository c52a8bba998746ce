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

export function printTable(figures: readonly Figure[]): void {
  const lines = [HEAD, ...figures.map(cells)];
  const widths = HEAD.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
  const toLine = (line: string[]) =>
    widths.map((width, i) => (line[i] ?? "")[LEFT.has(i) ? "padEnd" : "padStart"](width)).join("  ");
  process.stdout.write(`\n${toLine(HEAD)}\n${widths.map((w) => "-".repeat(w)).join("  ")}\n`);
  for (const figure of figures)
    process.stdout.write(`${toLine(cells(figure))}${figure.detail ? `  (${figure.detail})` : ""}\n`);
  const reached = figures.filter(({ ok }) => ok).length;
  process.stdout.write(
    `\n${reached} of ${figures.length} reached; Node ${process.versions.node}, ${availableParallelism()} cores\n`,
  );
}
