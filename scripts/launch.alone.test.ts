import { type ChildProcess, execFile } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { startNode } from "@/testing/program";
import { tempFolder } from "@/testing/temp-folder";

const root = process.cwd();
const moduleUrl = (name: string) => pathToFileURL(join(root, "scripts", name)).href;
const started: ChildProcess[] = [];

/** A launcher in its own process: `call` uses a function of run.mjs, and gives the exit code. */
function launcher(name: string, call: string) {
  const code = `import { ${name} } from ${JSON.stringify(moduleUrl("run.mjs"))}; process.exitCode = await ${call};`;
  const launched = startNode(["--input-type=module", "-e", code], { env: { ...process.env, npm_lifecycle_event: "" } });
  started.push(launched.child);
  return launched;
}

const launch = (script: string) => launcher("node", `node(["-e", ${JSON.stringify(script)}], { tied: true })`);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Says its process id, and on SIGTERM leaves with 7. */
const SERVER = "process.on('SIGTERM', () => process.exit(7)); setInterval(() => {}, 1000); console.log(process.pid)";

afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

describe("launcher", () => {
  it("exits with the exit code of its child", async () => {
    expect(await launch("process.exit(3)").ended).toMatchObject({ code: 3 });
  });

  it("forwards SIGTERM and waits for the child", async () => {
    const { child, ended, said } = launch(SERVER);
    const [pid] = await said(/^\d+/);
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: 7 });
    expect(isAlive(Number(pid))).toBe(false);
  });

  it("leaves no server running when killed", async () => {
    const { child, said } = launch(SERVER);
    const [pid] = await said(/^\d+/);
    child.kill("SIGKILL");
    await expect.poll(() => isAlive(Number(pid))).toBe(false);
  });

  it("starts the server with the Node options of its first line", async () => {
    const file = join(tempFolder(), "server.mjs");
    const [firstLine = ""] = readFileSync(join(root, "server", "run", "process", "main.ts"), "utf8").split("\n");
    const body = `process.on("SIGTERM", () => process.exit(7)); setInterval(() => {}, 1000);
      console.log(JSON.stringify([process.execArgv, process.env.MALLOC_ARENA_MAX]));`;
    writeFileSync(file, `${firstLine}\n${body}`, { mode: 0o755 });
    const { child, ended, said } = launcher("program", `program(${JSON.stringify(file)}, [], {})`);
    const [settings] = await said(/^.+(?=\n)/);
    expect(JSON.parse(settings)).toEqual([["--max-semi-space-size=8"], "2"]);
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: 7 });
  });

  it("lists its commands for an unknown one", async () => {
    const script = join(root, "scripts", "launch.mjs");
    const error = await promisify(execFile)(process.execPath, [script, "fly"]).catch((e) => e);
    expect(error).toMatchObject({ code: 2, stderr: expect.stringContaining("start | dev | demo") });
  });

  it("the manifest lists every route file", async () => {
    const code = `import { writeManifest } from ${JSON.stringify(moduleUrl("manifest.mjs"))}; writeManifest();`;
    await promisify(execFile)(process.execPath, ["--input-type=module", "-e", code]);
    const manifest = readFileSync(join(root, "server", "doors", "http", "routes.generated.ts"), "utf8");
    const files = readdirSync(join(root, "app"), { recursive: true, encoding: "utf8" })
      .map((file) => file.replaceAll("\\", "/"))
      .filter((file) => /(^|\/)route\.tsx?$/.test(file));
    expect(files.filter((file) => !manifest.includes(`"@/app/${file.replace(/\.tsx?$/, "")}"`))).toEqual([]);
    expect(manifest).toContain('{ path: "/api/v1/audit-logs", module:');
  });
});
