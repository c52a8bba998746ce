import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type BuildOptions, build } from "esbuild";
import { afterAll, beforeAll } from "vitest";
import { BUNDLE } from "@/scripts/build.mjs";

const ROOT = process.cwd();
let count = 0;

/**
 * A program of the tests of a file, from the text of its source or a file of the checkout; in dist, where it finds
 * packages and migrations.
 * @returns its path
 */
export function bundled(source: string | { file: string }, options: BuildOptions = {}): string {
  const outfile = join(ROOT, "dist", `test-${process.pid}-${++count}.mjs`);
  const entry: BuildOptions =
    typeof source === "string"
      ? { stdin: { contents: source, resolveDir: ROOT, loader: "ts" } }
      : { entryPoints: [source.file] };
  beforeAll(async () => {
    mkdirSync(join(ROOT, "dist"), { recursive: true });
    const { outdir: _, outExtension: __, ...common } = BUNDLE;
    await build({ ...common, sourcemap: false, ...entry, outfile, ...options });
  });
  afterAll(() => rmSync(outfile, { force: true }));
  return outfile;
}
