import { spawn } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, inject, vi } from "vitest";
import { type Command, UsageError } from "@/server/run/cli/command";
import { tempFolder } from "./temp-folder";

export type Ran = { code: number | null; out: string; err: string };

const FILE = join(process.cwd(), "dist", `test-cli-${process.pid}.mjs`);

/** Bundles the command line with its packages, as it starts twice as fast; in dist, where it finds migrations. */
export async function buildCli(): Promise<void> {
  mkdirSync(join(process.cwd(), "dist"), { recursive: true });
  await build({
    entryPoints: [join(process.cwd(), "server", "run", "cli", "main.ts")],
    outfile: FILE,
    bundle: true,
    format: "esm",
    platform: "node",
    jsx: "automatic",
    external: ["@node-rs/argon2", "cosmiconfig", "pg-native", "pino"],
    alias: { "@": process.cwd() },
    banner: {
      js: 'import { createRequire as toRequire } from "node:module"; const require = toRequire(import.meta.url);',
    },
  });
}

export const removeCli = (): void => rmSync(FILE, { force: true });

/**
 * Builds the command line for the tests of a file.
 * @returns their folder, removed after the run (testing/temp-folder.ts)
 */
export function withCli(): string {
  const dir = tempFolder();
  beforeAll(buildCli);
  afterAll(removeCli);
  return dir;
}

/** Environment of a command on the tests' database. */
export const settingsFor = (dir: string) => ({
  TRAILMARK_DATA_DIR: dir,
  DATABASE_URL: inject("databaseUrl"),
  AUDIT_ADMIN_DATABASE_URL: inject("adminDatabaseUrl"),
  TRAILMARK_OWNER_DATABASE_URL: inject("ownerDatabaseUrl"),
});

/** Runs a command that needs files alone in this process, as a process for each takes a second on a busy machine. */
export async function runHere(command: Command, ...args: string[]): Promise<Ran & { isMisuse: boolean }> {
  const said = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      said[name] += text;
      return true;
    }),
  );
  const ended = await command
    .run(args)
    .then(
      (code) => ({ code, isMisuse: false }),
      (error: unknown) => {
        if (!(error instanceof UsageError)) throw error;
        said.stderr += error.message;
        return { code: 2, isMisuse: true };
      },
    )
    .finally(() => {
      for (const spy of spies) spy.mockRestore();
    });
  return { ...ended, out: said.stdout, err: said.stderr };
}

type Options = { env?: Record<string, string>; input?: string; until?: RegExp; deaf?: boolean };

/**
 * Runs the command line in its own process; env replaces all but PATH; `until` stops it at an output; `deaf` closes its
 * output unread.
 */
export function runCli(args: string[], { env = {}, input = "", until, deaf = false }: Options = {}) {
  return new Promise<Ran>((resolve, reject) => {
    const child = spawn(process.execPath, [FILE, ...args], {
      env: { PATH: process.env.PATH ?? "", NODE_ENV: "production", ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    if (deaf) child.stdout.destroy();
    let [out, err] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text) => {
      out += text;
      if (until?.test(out)) child.kill("SIGTERM");
    });
    child.stderr.setEncoding("utf8").on("data", (text) => {
      err += text;
    });
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, out, err }));
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}
