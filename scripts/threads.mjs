import { mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";

/**
 * The threads of the server, each a separate bundle: every file called NAME-thread.ts below server/.
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
 * Writes what esbuild made, each file as a whole: tests or a server may be reading the one before.
 * @param files esbuild's outputFiles.
 */
export function writeWhole(files) {
  for (const { path, contents } of files) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(`${path}.${process.pid}`, contents);
    renameSync(`${path}.${process.pid}`, path);
  }
}
