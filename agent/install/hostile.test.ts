import { spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { publish } from "@/scripts/agent-executable.mjs";
import { agentFiles } from "@/server/devices/agents/install/agent-files";
import { Machine } from "@/testing/agent/machine";
import { listen, portOf } from "@/testing/port-of";
import { tempFolder } from "@/testing/temp-folder";

const ARGS = ["--allow-loopback-http", "--no-service"];
const has = (tool: string) => spawnSync("which", [tool]).status === 0;
const PROGRAM_BYTES = 1024 * 1024;
const MAX_SENT_BYTES = 64 * 1024 * 1024;

/** What the server says of one address instead of what is there. */
type Answer = { to: "program" | "script"; by: RequestListener };

const folder = tempFolder();
const elsewhere = { asked: 0 };
let server: Server;
let stranger: Server;
let base: string;
let script: string;
let packed: Buffer;
let hostile: Answer | undefined;
let sent = 0;

const urlOf = (one: Server) => `http://127.0.0.1:${portOf(one)}`;
const bodyOf = (url = "") => (url.endsWith("/install.sh") ? Buffer.from(script) : packed);

async function listening(listener: RequestListener): Promise<Server> {
  const one = createServer(listener);
  await listen(one);
  return one;
}

beforeAll(async () => {
  const file = join(folder, "agent.cjs");
  // Larger than the notes that the machine's programs write while they download.
  writeFileSync(file, `// Says nothing, and enrolls nobody.\n// ${randomBytes(PROGRAM_BYTES).toString("hex")}\n`);
  const program = await publish({ platform: "node", file, folder, level: 1 });
  writeFileSync(
    join(folder, "manifest.json"),
    JSON.stringify({ version: "1.2.3", node: "24.21.0", files: [program], licenses: program }),
  );
  packed = readFileSync(join(folder, program.file));
  server = await listening((request, response) => {
    const asked = request.url?.endsWith("/install.sh") ? "script" : "program";
    if (hostile?.to === asked) hostile.by(request, response);
    else response.end(bodyOf(request.url));
  });
  stranger = await listening((request, response) => {
    elsewhere.asked++;
    response.end(bodyOf(request.url));
  });
  base = urlOf(server);
  const served = await agentFiles(folder, base).script("install.sh");
  script = "body" in served ? served.body : "";
});
afterAll(() => [server, stranger].forEach((one) => void one.close().closeAllConnections()));

const redirect: RequestListener = (request, response) =>
  response.writeHead(302, { Location: `${urlOf(stranger)}${request.url}` }).end("<html>moved</html>");
const page: RequestListener = (_, response) => void response.end("<!doctype html>\n<title>Sign in</title>\n");
const refusal: RequestListener = (_, response) => void response.writeHead(500).end("#!/bin/sh\n");
const cut: RequestListener = (request, response) => {
  const body = bodyOf(request.url);
  response.writeHead(200, { "Content-Length": body.length });
  response.write(body.subarray(0, body.length - 5), () => response.destroy());
};
const other: RequestListener = (request, response) => void response.end(`${bodyOf(request.url)}# and more\n`);

const endless: RequestListener = (_, response) => {
  const piece = Buffer.alloc(64 * 1024, "a");
  response.once("close", () => clearInterval(timer));
  const timer = setInterval(() => {
    for (let n = 0; n < 16 && sent < MAX_SENT_BYTES && !response.writableNeedDrain; n++) {
      sent += piece.length;
      response.write(piece);
    }
    if (sent >= MAX_SENT_BYTES) response.end();
  }, 1);
};

/** A machine with one of the two programs that download. */
function machineWith(tool: string): Machine {
  const machine = new Machine({ node: true });
  machine.remove("curl");
  machine.put(tool, `exec ${spawnSync("which", [tool], { encoding: "utf8" }).stdout.trim()} "$@"`);
  return machine;
}

const filesIn = (path: string) => (existsSync(path) ? readdirSync(path).sort() : []);

describe.each(["curl", "wget"])("install.sh with %s", (tool) => {
  const run = (answer?: Answer) => {
    hostile = answer;
    [elsewhere.asked, sent] = [0, 0];
    const machine = machineWith(tool);
    return machine.install(script, ARGS, { key: "tme_x" }).then((ran) => ({ machine, ran }));
  };

  it.runIf(has(tool))("installs the file the server provides", async () => {
    const { machine, ran } = await run();
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining("is installed") });
    expect(filesIn(machine.dir)).toEqual(["install.sh", "trailmark-agent"]);
    expect(readFileSync(join(machine.dir, "install.sh"), "utf8")).toBe(script);
  });

  it.runIf(has(tool)).for<[string, "program" | "script", RequestListener]>([
    ["does not follow a redirect to a program", "program", redirect],
    ["does not follow a redirect to a script", "script", redirect],
    ["rejects a web page as a program", "program", page],
    ["rejects a web page as a script", "script", page],
    ["rejects an error response as a script", "script", refusal],
    ["rejects an incomplete program", "program", cut],
    ["rejects an incomplete script", "script", cut],
    ["rejects a different script", "script", other],
    ["rejects a different program", "program", other],
  ])("%s", async ([_, to, by]) => {
    const { machine, ran } = await run({ to, by });
    expect(ran.code).toBe(1);
    expect(ran.out).toMatch(/cannot be downloaded|not what the server described|sends more than/);
    expect(filesIn(machine.dir)).toEqual([]);
    expect(elsewhere.asked).toBe(0);
  });

  it.runIf(has(tool)).for(["program", "script"] as const)(
    "reads at most the expected size of an endless %s",
    { timeout: 60_000 },
    async (to) => {
      const { machine, ran } = await run({ to, by: endless });
      expect(ran).toMatchObject({ code: 1, out: expect.stringContaining("sends more than") });
      expect(filesIn(machine.dir)).toEqual([]);
      expect(sent).toBeLessThan(MAX_SENT_BYTES);
    },
  );

  it.runIf(has(tool))("limits the time of every download", async () => {
    const { machine } = await run();
    const downloads = machine.calls.filter((call) => call.includes("/agent/"));
    expect(downloads.length).toBeGreaterThan(0);
    for (const call of downloads) expect(call).toMatch(/--max-time \d+ |^timeout \d+ wget|--timeout=\d+ /);
  });
});

it("requires GNU wget without curl, because other versions follow redirects off the server", async () => {
  const machine = machineWith("curl");
  machine.remove("curl");
  machine.put("wget", 'echo "BusyBox v1.36"; exit 1');
  const ran = await machine.install(script, ARGS, { key: "tme_x" });
  expect(ran).toMatchObject({ code: 1, out: expect.stringContaining("curl, or GNU wget") });
});

it("verifies its own digest", () => {
  const rest = script.replace(/^SELF='.*\n/m, "");
  expect(script).toContain(`\nSELF='${createHash("sha256").update(rest).digest("hex")}'\n`);
});
