import { type ChildProcess, execFile, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePort } from "@/testing/server";
import { tempFolder } from "@/testing/temp-folder";

/** The service with its own PostgreSQL and the API as `npm start` runs them, without Next's pages. */
const SERVER = `
  import { createFront } from "@/server/doors/front/front";
  import { prepareEnvironment } from "@/server/run/process/prepare";
  import { startService } from "@/server/run/process/service";
  const embedded = await prepareEnvironment({ mayMake: true });
  const service = await startService(async (_, outgoing) => void outgoing.end());
  const server = createFront(service.listener).listen(Number(process.env.PORT), "127.0.0.1", () => console.log("ready"));
  process.on("SIGTERM", async () => {
    service.closeStreams();
    server.close();
    server.closeAllConnections();
    await service.stop();
    await embedded?.stop();
    process.exit(0);
  });`;

const root = process.cwd();
const bundled = (name: string) => join(root, "dist", `test-${name}-${process.pid}.mjs`);
const common = { bundle: true, format: "esm", platform: "node", jsx: "automatic", packages: "external" } as const;
const alias = { "@": root, "server-only": join(root, "server", "run", "process", "empty.ts") };

let home: string;
let port: number;
let server: ChildProcess;
const settings = () => ({
  NODE_ENV: "production" as const,
  HOME: home,
  HOST: "127.0.0.1",
  PORT: String(port),
  TRAILMARK_DATA_DIR: join(home, "data"),
  LOG_LEVEL: "error",
});

beforeAll(async () => {
  home = tempFolder();
  port = await freePort();
  mkdirSync(join(root, "dist"), { recursive: true });
  const stdin = { contents: SERVER, resolveDir: root, loader: "ts" as const };
  await build({ ...common, alias, stdin, outfile: bundled("first-server") });
  await build({
    ...common,
    alias,
    entryPoints: [join(root, "server", "run", "cli", "main.ts")],
    outfile: bundled("first-cli"),
  });
  // `npm run -s trailmark -- …` without installing and building first, which needs minutes.
  mkdirSync(join(home, "bin"));
  const npm = join(home, "bin", "npm");
  writeFileSync(npm, `#!/bin/sh\nshift 4\nexec "${process.execPath}" "${bundled("first-cli")}" "$@"\n`);
  chmodSync(npm, 0o755);
  server = spawn(process.execPath, [bundled("first-server")], {
    env: { PATH: process.env.PATH ?? "", ...settings() },
    stdio: ["ignore", "pipe", "inherit"],
  });
  await Promise.race([
    once(server.stdout ?? server, "data"),
    once(server, "exit").then(([code]) => {
      throw new Error(`the server ended with ${code}`);
    }),
  ]);
});
afterAll(async () => {
  if (server.exitCode === null) {
    const ended = once(server, "exit");
    server.kill("SIGTERM");
    await ended;
  }
  for (const name of ["first-server", "first-cli"]) rmSync(bundled(name), { force: true });
});

/** The commands of a guide's chapter, as they stand there. */
function commandsOf(guide: string, heading: string): string {
  const chapter = readFileSync(guide, "utf8").split(`## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  return [...chapter.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block).join("\n");
}

it("README commands alone lead from nothing to a verified bundle", async () => {
  const commands = commandsOf("README.md", "From nothing to a verified bundle")
    .replace(/^npm start.*$/m, "")
    .replaceAll("127.0.0.1:3000", `127.0.0.1:${port}`);
  expect(commands).toContain("npm run -s trailmark -- verify");
  const PATH = [join(home, "bin"), process.env.PATH].join(delimiter);
  const { stdout } = await promisify(execFile)("sh", ["-euc", commands], {
    cwd: home,
    env: { ...settings(), PATH },
  });
  expect(stdout).toContain('"accepted":1');
  expect(stdout).toMatch(/INTACT/i);
  const bundle = readFileSync(join(home, "bundle.ndjson"), "utf8");
  expect(bundle).toContain("WS-1");
});

it.each(["TRAILMARK_SIGNING_KEY_FILE", "TRAILMARK_JWT_KEY_FILE"])(
  "refuses to start with an unusable %s and says why",
  async (name) => {
    const wrong = join(home, "wrong.pem");
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    writeFileSync(wrong, privateKey.export({ type: "pkcs8", format: "pem" }));
    for (const [file, reason] of [
      [join(home, "nowhere.pem"), /does not exist|no such file/],
      [wrong, /must be an Ed25519 key/],
    ] as const) {
      const elsewhere = {
        TRAILMARK_DATA_DIR: join(home, "other"),
        DATABASE_URL: "postgres://nobody:x@127.0.0.1:1/none",
      };
      const env = { PATH: process.env.PATH ?? "", ...settings(), ...elsewhere, [name]: file };
      const started = promisify(execFile)(process.execPath, [bundled("first-server")], { env });
      const failed: { code: number; stderr: string } = await started.then(
        () => expect.fail("it started"),
        (error) => error,
      );
      expect(failed.code).toBe(1);
      expect(failed.stderr).toContain(`${name}: ${file}`);
      expect(failed.stderr).toMatch(reason);
    }
  },
);
