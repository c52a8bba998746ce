import { inject, vi } from "vitest";
import { type Command, UsageError } from "@/server/run/cli/command";
import { bundled } from "./bundled";
import { type Ran, startNode } from "./program";
import { tempFolder } from "./temp-folder";

let file: string | undefined;

/**
 * Builds the command line for the tests of a file, with its packages, as it starts twice as fast.
 * @returns their folder, removed after the run (testing/temp-folder.ts)
 */
export function withCli(): string {
  const js = 'import { createRequire as toRequire } from "node:module"; const require = toRequire(import.meta.url);';
  const external = ["@node-rs/argon2", "cosmiconfig", "pg-native", "pino"];
  file = bundled({ file: "server/run/cli/main.ts" }, { packages: "bundle", external, banner: { js } });
  return tempFolder();
}

/** Environment of a command on the tests' database. */
export const settingsFor = (dir: string) => ({
  TRAILMARK_DATA_DIR: dir,
  DATABASE_URL: inject("databaseUrl"),
  AUDIT_ADMIN_DATABASE_URL: inject("adminDatabaseUrl"),
  TRAILMARK_OWNER_DATABASE_URL: inject("ownerDatabaseUrl"),
});

/** Runs a command that needs files alone in this process, as a process for each takes a second on a busy machine. */
export async function runHere(
  command: Command,
  ...args: string[]
): Promise<Omit<Ran, "signal"> & { isMisuse: boolean }> {
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
export function runCli(args: string[], { env = {}, input = "", until, deaf = false }: Options = {}): Promise<Ran> {
  if (!file) throw new Error("withCli() builds the command line first");
  const { child, ended, said } = startNode([file, ...args], { env, input });
  if (deaf) child.stdout.destroy();
  if (until)
    said(until).then(
      () => child.kill("SIGTERM"),
      () => {},
    );
  return ended;
}
