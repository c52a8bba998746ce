import { stackOf } from "@/db/thrown";
import "./quiet";
import { children } from "./children";
import { type Bench, type Figure, figure } from "./harness";
import { printTable, type Results, readFull, writeResults } from "./results";
import { benches } from "./rows";
import { createWorld, type World } from "./world";

/**
 * `npm run bench [-- --quick | --full [--resume]] [ROW …]`: measures rows of the table of targets on this machine,
 * prints them and writes bench/results.json after each part; at full size also bench/RESULTS.md, where rows not
 * measured now keep their figures. --resume skips rows already measured at full size. A row that fails counts as
 * missed.
 */

const QUICK_ROWS = 100_000;
const FULL_ROWS = 2_000_000;

async function measure(bench: Bench, world: World): Promise<Figure[]> {
  try {
    return await bench.run(world);
  } catch (error) {
    const detail = stackOf(error);
    process.stderr.write(`${bench.title}: ${detail}\n`);
    const failed = { value: Number.NaN, unit: "", target: { min: 0 }, detail: "could not be measured" };
    return bench.rows.map((row) => figure({ ...failed, row, name: bench.title }));
  }
}

/** Benches of the named rows; by default all. */
function chosenOf(args: readonly string[]): { chosen: Bench[]; isWanted: (row: string) => boolean } {
  const wanted = args.filter((arg) => !arg.startsWith("--"));
  const done = new Set(
    args.includes("--resume")
      ? readFull().figures.flatMap(({ row, value }) => (Number.isFinite(value) ? [row] : []))
      : [],
  );
  const isWanted = (row: string) => (wanted.length === 0 || wanted.includes(row)) && !done.has(row);
  return { chosen: benches.filter((bench) => bench.rows.some(isWanted)), isWanted };
}

async function main(args: string[]): Promise<number> {
  const full = args.includes("--full");
  const { chosen, isWanted } = chosenOf(args);
  const say = (line: string) => void process.stderr.write(`  ${line}\n`);
  const world = await createWorld({ full, rows: full ? FULL_ROWS : QUICK_ROWS }, say);
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => void world.end().then(() => process.exit(130)));
  const found: Results = { figures: [], seconds: {} };
  try {
    for (const bench of chosen) {
      const started = performance.now();
      found.figures.push(...(await measure(bench, world)).filter(({ row }) => isWanted(row)));
      const seconds = (performance.now() - started) / 1000;
      found.seconds[bench.title] = seconds;
      say(`${bench.title}: ${seconds.toFixed(1)} s`);
      writeResults(found, full);
    }
  } finally {
    await world.end();
  }
  printTable(found.figures.sort((a, b) => Number(a.row) - Number(b.row)));
  return found.figures.every(({ value }) => Number.isFinite(value)) ? 0 : 1;
}

const [first, name = "", ...rest] = process.argv.slice(2);
const child = first === "--child" ? children[name] : undefined;
if (child) await child(rest);
else process.exit(await main(process.argv.slice(2)));
