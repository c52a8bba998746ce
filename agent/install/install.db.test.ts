import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installCommands } from "@/components/settings/new-enrollment-key";
import { bundleAgent, createBlob, createExecutable, publish } from "@/scripts/agent-executable.mjs";
import { agentFiles } from "@/server/devices/agents/install/agent-files";
import { createFront, createListener } from "@/server/doors/front/front";
import { download } from "@/server/doors/http/download";
import { routes } from "@/server/doors/http/routes.generated";
import { Machine } from "@/testing/agent/machine";
import { bearer, createEnrollmentKey, createUser } from "@/testing/factories";
import { listen } from "@/testing/port-of";
import { startProgram } from "@/testing/program";
import { tempFolder } from "@/testing/temp-folder";

const LOOPBACK = ["--allow-loopback-http"];
const UNPRIVILEGED = [...LOOPBACK, "--no-service"];
const has = (tool: string) => spawnSync("which", [tool]).status === 0;

/** A build of the agent: what a manifest says, and the folder in which its programs lie. */
const build = { folder: tempFolder(), files: new Map<string, object>() };
const bundle = join(build.folder, "agent.cjs");

async function offer(platform: string, file: string): Promise<void> {
  const program = await publish({ platform, file, folder: build.folder, level: 0 });
  build.files.set(platform, program);
  writeFileSync(
    join(build.folder, "manifest.json"),
    JSON.stringify({ version: "1.2.3", node: "24.21.0", files: [...build.files.values()], licenses: program }),
  );
}

let server: Server;
let base: string;
let script: string;
const files = () => agentFiles(build.folder, base);

beforeAll(async () => {
  await bundleAgent(bundle);
  await offer("node", bundle);
  const listener = createListener({
    routes: [
      ...routes.filter(({ path }) => !path.startsWith("/agent/")),
      { path: "/agent/install.sh", module: { GET: download(() => files().script("install.sh")) } },
      { path: "/agent/[file]", module: { GET: download((name) => files().program(name)) } },
    ],
    next: async (_, outgoing) => void outgoing.end("page"),
    origin: "http://127.0.0.1",
    dev: false,
  });
  server = createFront(listener);
  base = `http://127.0.0.1:${await listen(server)}`;
  script = await served();
});
afterAll(() => void server.close());

const served = async () => (await fetch(`${base}/agent/install.sh`)).text();

/** The organization's devices, as its administrator sees them. */
async function devicesOf(orgId: string): Promise<{ id: string; agentId: string; status: string | null }[]> {
  const token = await bearer(await createUser({ role: "org_admin", orgId }));
  const answer = await fetch(`${base}/api/v1/devices`, { headers: { Authorization: `Bearer ${token}` } });
  return (await answer.json()).data;
}

const permissions = (path: string) => (statSync(path).mode & 0o777).toString(8);
const filesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder).sort() : []);

describe("install.sh", () => {
  it.runIf(has("dash"))("is valid for dash", () => {
    expect(spawnSync("dash", ["-n"], { input: script, encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
  });

  it.runIf(has("shellcheck"))("passes shellcheck", () => {
    const { stdout } = spawnSync("shellcheck", ["--shell=sh", "-"], { input: script, encoding: "utf8" });
    expect(stdout).toBe("");
  });

  it("enrolls a machine without passing the key in arguments or environment", async () => {
    const machine = new Machine({ node: true });
    const { key, orgId } = await createEnrollmentKey({ maxUses: 1 });
    const ran = await machine.install(script, UNPRIVILEGED, { key: `${key}\n` });
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining("The agent 1.2.3 is installed.") });
    expect(await devicesOf(orgId)).toHaveLength(1);
    expect(machine.calls.some((call) => call.includes("--enrollment-key-file -"))).toBe(true);
    expect(machine.noted).not.toContain("tme_");
    expect([permissions(machine.state), permissions(join(machine.state, "state.json"))]).toEqual(["700", "600"]);
    expect(filesIn(machine.dir)).toEqual(["install.sh", "trailmark-agent"]);
    expect(filesIn(machine.state)).toEqual(["state.json"]);

    const again = await machine.install(script, UNPRIVILEGED, { key: `${key}\n` });
    expect(again).toMatchObject({ code: 0, out: expect.stringContaining("is here already") });
    expect(await devicesOf(orgId)).toHaveLength(1);
  });

  it("runs from the enrollment dialog's command without exposing the key in arguments", async () => {
    const machine = new Machine({ node: true, system: true });
    const { key, orgId } = await createEnrollmentKey();
    const places = ` --dir ${machine.dir} --state-dir ${machine.state} --unit-dir ${machine.units}`;
    const ran = await machine.run(installCommands(base, key).linux + places);
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining("runs as a service") });
    expect(await devicesOf(orgId)).toHaveLength(1);
    expect(machine.calls.find((call) => call.startsWith("sudo"))).toContain(
      `/agent/install.sh) && eval "$s" install.sh`,
    );
    expect(machine.noted).not.toContain("tme_");
  });

  it("fails if the script cannot be downloaded", async () => {
    const { linux } = installCommands("http://127.0.0.1:1", "tme_x");
    const ran = await new Machine({ node: true, system: true }).run(linux);
    expect(ran.code).toBe(7); // curl's: it could not connect
  });

  it("reads the key from the environment without passing it to child processes", async () => {
    const machine = new Machine({ node: true });
    const { key, orgId } = await createEnrollmentKey();
    const ran = await machine.install(script, UNPRIVILEGED, { env: { TRAILMARK_ENROLLMENT_KEY: key } });
    expect(ran.code).toBe(0);
    expect(await devicesOf(orgId)).toHaveLength(1);
    // Those that ran before it was read inherited it from the caller of the script; none had it as argument.
    expect(machine.calls.join("\n")).not.toContain("tme_");
    const after = machine.noted.slice(machine.noted.indexOf("RUN mktemp"));
    expect(after).toContain("--enrollment-key-file -");
    expect(after).not.toContain("tme_");
  });

  it("updates in place, keeps its identity and uninstalls completely", async () => {
    const machine = new Machine({ node: true });
    const { key, orgId } = await createEnrollmentKey();
    await machine.install(script, UNPRIVILEGED, { key });
    const [device] = await devicesOf(orgId);

    const newer = join(build.folder, "newer.cjs");
    writeFileSync(newer, `${readFileSync(bundle, "utf8")}\n// newer\n`);
    await offer("node", newer);
    const updated = await machine.install(await served(), [...UNPRIVILEGED, "--update"]);
    await offer("node", bundle);
    expect(updated).toMatchObject({ code: 0, out: expect.stringContaining("Downloading the agent 1.2.3 for node") });
    expect(readFileSync(machine.program, "utf8")).toMatch(/\/\/ newer\n$/);
    expect(await devicesOf(orgId)).toMatchObject([{ id: device?.id }]);

    // The copy that was installed needs no server.
    const removed = await machine.install(readFileSync(join(machine.dir, "install.sh"), "utf8"), [
      "--no-service",
      "--uninstall",
    ]);
    expect(removed.code).toBe(0);
    expect([existsSync(machine.dir), existsSync(machine.state)]).toEqual([false, false]);
    const again = await machine.install(script, ["--no-service", "--uninstall"]);
    expect(again).toMatchObject({ code: 0, out: expect.stringContaining("There is no agent here") });
  });

  it("removes only its own files", async () => {
    const machine = new Machine({ node: true });
    const { key } = await createEnrollmentKey();
    await machine.install(script, UNPRIVILEGED, { key });
    writeFileSync(join(machine.dir, "somebody-elses"), "");
    const removed = await machine.install(script, ["--no-service", "--uninstall"]);
    expect(removed).toMatchObject({ code: 0, out: expect.stringContaining(`${machine.dir} is not empty and stays.`) });
    expect(filesIn(machine.dir)).toEqual(["somebody-elses"]);
  });

  it("changes nothing if the download does not match its digest", async () => {
    const machine = new Machine({ node: true });
    const { key } = await createEnrollmentKey();
    const { packed, plain } = /^(PROGRAMS=')?node \S+ (?<packed>\w+) (?<plain>\w+)/m.exec(script)?.groups ?? {};
    for (const digest of [packed, plain]) {
      const ran = await machine.install(script.replace(String(digest), "0".repeat(64)), UNPRIVILEGED, { key });
      expect(ran).toMatchObject({ code: 1, out: expect.stringContaining("is not what the server described") });
      expect([...filesIn(machine.dir), ...filesIn(machine.state)]).toEqual([]);
    }
  });

  it("runs nothing if the script was cut short", async () => {
    const machine = new Machine({ node: true, system: true });
    const ends = Array.from({ length: 40 }, (_, i) => Math.floor((script.length * i) / 40));
    for (const end of [...ends, ...Array.from({ length: 17 }, (_, i) => script.length - 2 - i)])
      await machine.install(script.slice(0, end), ["--uninstall"]);
    expect(machine.calls).toEqual([]);
    expect((await machine.install(script.trimEnd(), ["--uninstall"])).code).toBe(0);
  });

  it.for<[string, string[], string, string]>([
    ["a malformed key", UNPRIVILEGED, "tmk_x", "it begins with tme_"],
    ["no key", UNPRIVILEGED, "", "give the enrollment key on standard input"],
    ["an unknown key", UNPRIVILEGED, `tme_${"x".repeat(40)}`, "was not enrolled"],
    ["plain http without permission", ["--no-service"], "tme_x", "add --allow-loopback-http"],
    ["a service without systemd", LOOPBACK, "tme_x", "--no-service"],
    ["an update before installation", [...UNPRIVILEGED, "--update"], "", "no agent"],
    ["a source without its ID", [...UNPRIVILEGED, "--source-system", "ninja"], "", "go together"],
    ["a folder with special characters", [...UNPRIVILEGED, "--dir", "/opt/a b"], "", "has characters"],
    ["a relative folder", [...UNPRIVILEGED, "--state-dir", "state"], "", "no absolute path"],
    ["an unknown option", ["--key=tme_x"], "", "is not known"],
  ])("explains what is wrong with %s", async ([_, args, key, sentence]) => {
    const ran = await new Machine({ node: true }).install(script, args, { key });
    expect(ran).toMatchObject({ code: 1, out: expect.stringContaining(sentence) });
  });

  it.each(["http://trailmark.example", "http://127.evil.test", "http://localhost.evil.test", "http://10.0.0.5:3000"])(
    "rejects plain http to another machine: %s",
    async (address) => {
      const machine = new Machine({ node: true });
      const ran = await machine.install(script.replace(base, address), UNPRIVILEGED, { key: "tme_x" });
      expect(ran).toMatchObject({ code: 1, out: expect.stringContaining("is not https") });
      expect(machine.calls.join()).not.toContain("curl");
    },
  );

  it("reports a service that does not start", async () => {
    const machine = new Machine({ node: true, system: true });
    const { key } = await createEnrollmentKey();
    machine.put("systemctl", '[ "$1" != is-active ]');
    const ran = await machine.install(script, LOOPBACK, { key });
    expect(ran).toMatchObject({ code: 1, out: expect.stringContaining("the service does not run") });
    expect(ran.out).not.toContain("runs as a service");
  });

  it("keeps the environment's proxy for the service in a root-only file", async () => {
    const machine = new Machine({ node: true, system: true });
    const { key } = await createEnrollmentKey();
    const env = { https_proxy: "http://user:pass%40word@proxy.example:3128", no_proxy: "127.0.0.1,.example.com" };
    expect((await machine.install(script, LOOPBACK, { key, env })).code).toBe(0);
    const kept = join(machine.dir, "environment");
    expect(readFileSync(kept, "utf8")).toBe(`https_proxy=${env.https_proxy}\nno_proxy=${env.no_proxy}\n`);
    expect(permissions(kept)).toBe("600");
    expect(readFileSync(join(machine.units, "trailmark-agent.service"), "utf8")).toContain(
      `EnvironmentFile=-${kept}\n`,
    );
    // An update without it, by a timer for example, keeps it.
    expect((await machine.install(script, [...LOOPBACK, "--update"])).code).toBe(0);
    expect(existsSync(kept)).toBe(true);
    const odd = await machine.install(script, LOOPBACK, { env: { https_proxy: 'http://proxy" X=' } });
    expect(odd).toMatchObject({ code: 1, out: expect.stringContaining("characters that a service file cannot hold") });
    await machine.install(script, ["--uninstall"]);
    expect(existsSync(machine.dir)).toBe(false);
  });

  it("runs as a service under its own user and uninstalls completely", async () => {
    const machine = new Machine({ node: true, system: true });
    const { key, orgId } = await createEnrollmentKey();
    const ran = await machine.install(script, LOOPBACK, { key });
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining("runs as a service") });
    expect(await devicesOf(orgId)).toHaveLength(1);
    const called = machine.calls;
    expect(called).toContain("systemctl restart trailmark-agent");
    expect(called.find((call) => call.startsWith("useradd"))).toContain("--system");
    expect(called.find((call) => call.startsWith("runuser"))).toContain("--enrollment-key-file -");
    expect(machine.noted).not.toContain("tme_");
    const unit = join(machine.units, "trailmark-agent.service");
    expect(permissions(unit)).toBe("644");
    expect(readFileSync(unit, "utf8")).toContain(`${machine.program} --state-dir ${machine.state}\n`);
    if (has("systemd-analyze")) execFileSync("systemd-analyze", ["verify", "--man=no", unit]);

    const again = await machine.install(script, [...LOOPBACK, "--update"]);
    expect(again.code).toBe(0);
    expect(machine.calls.filter((call) => call.startsWith("systemctl")).slice(-2)).toEqual([
      "systemctl start trailmark-agent",
      "systemctl is-active --quiet trailmark-agent",
    ]);

    expect((await machine.install(script, ["--uninstall"])).code).toBe(0);
    expect(machine.calls).toContain("userdel trailmark-agent");
    expect([...filesIn(machine.units), existsSync(machine.dir), existsSync(machine.state)]).toEqual([false, false]);
  });
});

describe.runIf(process.platform === "linux" && process.arch === "x64")("single-file executable", () => {
  it("enrolls and ships events on a machine without Node", async () => {
    const node = process.execPath;
    const [blob, file] = [join(build.folder, "agent.blob"), join(build.folder, "agent")];
    await createBlob({ node, bundle, blob });
    await createExecutable({ node, blob, file });
    await offer("linux-x64", file);
    const machine = new Machine();
    const { key, orgId } = await createEnrollmentKey();
    const ran = await machine.install(await served(), UNPRIVILEGED, { key });
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining("for linux-x64") });
    const env = { PATH: "/nonexistent" };
    const shipped = await startProgram(machine.program, ["--state-dir", machine.state, "--once"], { env }).ended;
    expect([shipped.code, shipped.out]).toEqual([0, expect.stringMatching(/^shipped \d+ events/)]);
    expect(await devicesOf(orgId)).toMatchObject([{ status: "running" }]);
  });
});
