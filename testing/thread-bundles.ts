import { join } from "node:path";
import { build } from "esbuild";
import { threadEntries, writeWhole } from "@/scripts/threads.mjs";

/** Bundles the server's threads like the build: tests run everything else from source. */
export default async function setup(): Promise<void> {
  const root = process.cwd();
  const { outputFiles } = await build({
    entryPoints: Object.entries<string>(threadEntries(root)).map(([out, source]) => ({ in: source, out })),
    absWorkingDir: root,
    outdir: join(root, "dist"),
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    alias: { "@": root, "server-only": join(root, "server", "run", "process", "empty.ts") },
    logLevel: "warning",
    write: false,
  });
  writeWhole(outputFiles);
}
