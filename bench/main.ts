import "./quiet";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { children } from "./children";
import { type Bench, type Figure, figure } from "./harness";
import { printTable } from "./print";
import { benches } from "./rows";
import { createWorld, type World } from "./world";

/**
 * `npm run bench [-- --quick | --full] [ROW …]`: measures the rows of the table of targets on this machine, prints them
 * and writes bench/results.json. A row that cannot be measured is a row that is not reached.
 */

const QUICK_ROWS = 100_000;
const FULL_ROWS = 2_000_000;

async function measure(bench: Bench, world: World): Promise<Figure[]> {
  const started = performance.now();
  try {
    return await bench.run(world);
  } catch (error) {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`${bench.title}: ${detail}\n`);
    const failed = { value: Number.NaN, unit: "", target: { min: 0 }, detail: "could not be measured" };
    return bench.rows.map((row) => figure({ ...failed, row, name: bench.title }));
  } finally {
    world.say(`${bench.title}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
  }
}

async function main(args: string[]): Promise<number> {
  const full = args.includes("--full");
  const wanted = args.filter((arg) => !arg.startsWith("--"));
  const chosen = benches.filter((bench) => wanted.length === 0 || bench.rows.some((row) => wanted.includes(row)));
  const say = (line: string) => void process.stderr.write(`  ${line}\n`);
  const world = await createWorld({ full, rows: full ? FULL_ROWS : QUICK_ROWS }, say);
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => void world.end().then(() => process.exit(130)));
  const figures: Figure[] = [];
  try {
    for (const bench of chosen) figures.push(...(await measure(bench, world)));
  } finally {
    await world.end();
  }
  const found = figures
    .filter(({ row }) => wanted.length === 0 || wanted.includes(row))
    .sort((a, b) => Number(a.row) - Number(b.row));
  printTable(found);
  writeFileSync(join("bench", "results.json"), `${JSON.stringify(found, null, 2)}\n`);
  return found.every(({ value }) => Number.isFinite(value)) ? 0 : 1;
}

const [first, name = "", ...rest] = process.argv.slice(2);
const child = first === "--child" ? children[name] : undefined;
if (child) await child(rest);
else process.exit(await main(process.argv.slice(2)));
