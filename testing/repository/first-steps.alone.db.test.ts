import { execFile } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundled } from "@/testing/bundled";
import { startNode } from "@/testing/program";
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

const firstServer = bundled(SERVER);
const firstCli = bundled({ file: "server/run/cli/main.ts" });

let home: string;
let port: number;
let server: ReturnType<typeof startNode>;
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
  // `npm run -s trailmark -- …` without installing and building first, which needs minutes.
  mkdirSync(join(home, "bin"));
  const npm = join(home, "bin", "npm");
  writeFileSync(npm, `#!/bin/sh\nshift 4\nexec "${process.execPath}" "${firstCli}" "$@"\n`);
  chmodSync(npm, 0o755);
  server = startNode([firstServer], { env: settings() });
  await server.said(/ready/);
});
afterAll(async () => {
  server.child.kill("SIGTERM");
  await server.ended;
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
      const started = promisify(execFile)(process.execPath, [firstServer], { env });
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
