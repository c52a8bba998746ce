import { spawn } from "node:child_process";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { onOrphaned } from "./orphan.mjs";
import { programOf } from "./program.mjs";

/** Root folder of the checkout. */
export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const TIE = pathToFileURL(join(ROOT, "scripts", "tied.mjs")).href;

/** Script of an installed package's command, run with our own node: no shell, no PATH. */
export const bin = (name, script) => join(ROOT, "node_modules", name, script);

/** A failure shown without a stack. */
export class LaunchError extends Error {
  expected = true;
}

/**
 * Runs a command with our stdio and passes signals on. A terminal sends Ctrl-C to the whole group, so it is not
 * forwarded there.
 * @returns its exit code, or 128 + the signal's number.
 */
export function run(command, args, { env = {}, stdio = "inherit", shell = false, onStart = () => {} } = {}) {
  return new Promise((done, fail) => {
    const child = spawn(command, args, { cwd: ROOT, env: { ...process.env, ...env }, stdio, shell });
    onStart(child);
    const forward = (signal) => {
      if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
    };
    const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
    for (const signal of signals) process.on(signal, forward);
    onOrphaned(() => child.kill("SIGTERM"));
    const finish = (then) => {
      for (const signal of signals) process.off(signal, forward);
      then();
    };
    child.once("error", (error) => finish(() => fail(error)));
    child.once("close", (code, signal) => finish(() => done(signal ? 128 + constants.signals[signal] : code)));
  });
}

/** Runs a script with this node. `tied`: it stops as on SIGTERM if this process is killed (kill -9). */
export function node(args, { env, tied = false, onStart } = {}) {
  const stdio = tied ? ["inherit", "inherit", "inherit", "ipc"] : "inherit";
  return run(process.execPath, tied ? ["--import", TIE, ...args] : args, { env, stdio, onStart });
}

/** Runs a bundle by its own first line, tied as in node(). */
export function program(file, args, { env, onStart } = {}) {
  const { command, args: before, env: ours } = programOf(file);
  const NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ""} --import ${TIE}`;
  const stdio = ["inherit", "inherit", "inherit", "ipc"];
  return run(command, [...before, ...args], { env: { ...ours, NODE_OPTIONS, ...env }, stdio, onStart });
}
