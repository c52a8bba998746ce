import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { cpuMs } from "@/bench/processes";
import { readFiles } from "@/server/custom-fields/import/reader/read-files";
import { AppError } from "@/server/ground/errors";
import { SLOW_FILES } from "@/testing/import/slow-files";
import { tempFolder } from "@/testing/temp-folder";
import { type Line, retryLate } from "./line";

/** H1: slow files by design, read as by an import, while this process answers others. */

const TIMEOUT_MS = 5_000;
const MAX_WAIT_MS = 250;
/** Quick runs share the machine, so a file's time is measured as CPU time. */
const QUICK_MAX_WAIT_MS = 1_000;
const NS_PER_MS = 1_000_000;
/** The timer ticks before and after the measured work. */
const SETTLE_MS = 30;

/** Longest time (ms) without an answer from this process during the work. */
async function longestWait(work: () => Promise<void> | void): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  await sleep(SETTLE_MS);
  await work();
  await sleep(SETTLE_MS);
  delay.disable();
  return delay.max / NS_PER_MS;
}

/** The control: a reader that searches each tag's end from the start, in this thread. */
function readQuadratically(ms: number): void {
  const text = "<c ".repeat(400_000);
  const until = performance.now() + ms;
  for (let at = 0; at >= 0 && performance.now() < until; at = text.indexOf("<c ", at + 1)) text.indexOf("</c>", at);
}

/** Result of reading one file: rows or a refusal in words; anything else is our fault. */
async function readOne(path: string): Promise<string | null> {
  try {
    await readFiles({ kind: "preview", source: "automate", path, format: null });
    await readFiles({ kind: "stage", source: "automate", files: [{ name: path, path, format: null }] }, async () => {});
    return null;
  } catch (error) {
    return error instanceof AppError ? null : String(error);
  }
}

/** Result of reading a file, its duration by the given clock, and the longest delay of others (ms). */
async function measure(path: string, clock: () => number) {
  const began = clock();
  let fault: string | null = null;
  const wait = await longestWait(async () => {
    fault = await readOne(path);
  });
  return { fault: fault as string | null, wait, took: clock() - began };
}

export const slowFiles: Line = {
  id: "H1",
  title: "files built to be slow do not block the server",
  ...{ quick: 1, full: 10 },
  async run(input, found) {
    const folder = tempFolder();
    const { rounds, isFull } = input;
    const maxWaitMs = isFull ? MAX_WAIT_MS : QUICK_MAX_WAIT_MS;
    const clock = isFull ? () => performance.now() : () => cpuMs(process.pid);
    let [slowest, longest, slowestFile] = [0, 0, ""];
    for (let round = 1; round <= rounds; round++)
      for (const { name, build } of SLOW_FILES) {
        const path = join(folder, String(found.tried++));
        writeFileSync(path, build(rounds === 1 ? 10 : round));
        const { fault, wait, took } = await retryLate(
          input,
          () => measure(path, clock),
          (one) => !one.fault && (one.wait > maxWaitMs || one.took > TIMEOUT_MS),
        );
        rmSync(path);
        if (took > slowest) [slowest, slowestFile] = [took, name];
        longest = Math.max(longest, wait);
        if (fault) found.fault(`${name}: ${fault}`);
        if (took > TIMEOUT_MS) found.fault(`${name}: ${Math.round(took)} ms`);
        if (wait > maxWaitMs) found.fault(`${name}: others waited ${Math.round(wait)} ms`);
      }
    found.note(`slowest ${Math.round(slowest)} ms (${slowestFile}), longest wait ${Math.round(longest)} ms`);
    const control = await longestWait(() => readQuadratically(2 * maxWaitMs));
    found.control(`a quadratic reader, ${Math.round(control)} ms`, control > maxWaitMs ? 1 : 0);
  },
};
