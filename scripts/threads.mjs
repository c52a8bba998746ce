import { mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";

/**
 * Threads of the server, each a bundle: every file NAME-thread.ts below server/.
 * @param root the checkout.
 * @returns NAME-thread to its source, relative to the root.
 */
export function threadEntries(root) {
  const files = readdirSync(join(root, "server"), { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    files
      .filter((file) => file.isFile() && file.name.endsWith("-thread.ts"))
      .map((file) => [basename(file.name, ".ts"), relative(root, join(file.parentPath, file.name))]),
  );
}

/**
 * Writes esbuild's output atomically: tests or a server may be reading the old files.
 * @param files esbuild's outputFiles.
 */
export function writeWhole(files) {
  for (const { path, contents } of files) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(`${path}.${process.pid}`, contents);
    renameSync(`${path}.${process.pid}`, path);
  }
}
