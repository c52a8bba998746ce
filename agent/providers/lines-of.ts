import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

const MAX_ERROR_CHARACTERS = 500;

type Split = (stream: Readable) => AsyncIterable<string>;

/**
 * Lines printed by a program, streamed; the program ends with the loop.
 * @throws if it cannot be started, or exits with a nonzero code.
 */
export async function* linesOf(
  command: string,
  args: string[],
  split: Split = (input) => createInterface({ input }),
): AsyncGenerator<string> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], windowsHide: true });
  let complaint = "";
  child.stderr.on("data", (chunk: Buffer) => {
    if (complaint.length < MAX_ERROR_CHARACTERS) complaint += chunk;
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  ended.catch(() => {});
  try {
    yield* split(child.stdout);
    const code = await ended;
    if (code !== 0) throw new Error(complaint.trim().slice(0, MAX_ERROR_CHARACTERS) || `${command} ended with ${code}`);
  } finally {
    child.kill();
  }
}
