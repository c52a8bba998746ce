import { join } from "node:path";
import { build } from "esbuild";

/** Bundles the thread that reads imported files, as the product's build does: tests run the rest from its sources. */
export default async function setup(): Promise<void> {
  await build({
    entryPoints: [join(process.cwd(), "server", "custom-fields", "import", "reader", "thread.ts")],
    outfile: join(process.cwd(), "dist", "import-reader.mjs"),
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    alias: { "@": process.cwd() },
    logLevel: "warning",
  });
}
