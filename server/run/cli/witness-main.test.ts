import { join } from "node:path";
import { build } from "esbuild";
import { beforeAll, expect, it } from "vitest";
import { ED25519, formatVerifierKey } from "@/server/evidence/tree/signed-note";
import { testKey } from "@/testing/notes";
import { startNode } from "@/testing/program";
import { tempFolder } from "@/testing/temp-folder";

let dir: string;
let packages: string[];
beforeAll(async () => {
  dir = tempFolder();
  const { metafile } = await build({
    entryPoints: ["server/run/cli/witness-main.ts"],
    outfile: join(dir, "witness.mjs"),
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    alias: { "@": process.cwd() },
    metafile: true,
  });
  const [output] = Object.values(metafile.outputs);
  packages = (output?.imports ?? []).map(({ path }) => path);
});

/** Runs the file far from this checkout; `until` stops it once it said that. */
async function run(args: string[], until = /$./): Promise<{ code: number | null; out: string }> {
  const { child, ended, output, said } = startNode([join(dir, "witness.mjs"), ...args], { cwd: dir });
  said(until).then(
    () => child.kill("SIGTERM"),
    () => {},
  );
  const { code } = await ended;
  return { code, out: output() };
}

it("the witness is a single file that needs only Node", async () => {
  expect(packages.filter((path) => !path.startsWith("node:"))).toEqual([]);
  const key = formatVerifierKey(testKey(1, "trailmark.example", ED25519).key);
  const ran = await run(["--log", key, "--dir", join(dir, "kept"), "--listen", "127.0.0.1:0", "--name", "w"], /Log /);
  expect(ran.code).toBe(0);
  expect(ran.out).toMatch(/^Key {8}w\+[0-9a-f]{8}\+B/m);
  expect(await run([])).toMatchObject({ code: 2, out: expect.stringContaining("Usage: node witness.mjs") });
});
