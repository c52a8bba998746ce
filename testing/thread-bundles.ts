import { build } from "esbuild";
import { BUNDLE } from "@/scripts/build.mjs";
import { threadEntries, writeWhole } from "@/scripts/threads.mjs";

/** Bundles the server's threads like the build: tests run everything else from source. */
export default async function setup(): Promise<void> {
  const root = process.cwd();
  const { outputFiles = [] } = await build({
    ...BUNDLE,
    entryPoints: Object.entries<string>(threadEntries(root)).map(([out, source]) => ({ in: source, out })),
    sourcemap: false,
    write: false,
  });
  writeWhole(outputFiles);
}
