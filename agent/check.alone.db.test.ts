import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import * as result from "@/app/api/v1/agents/[id]/commands/[commandId]/result/route";
import * as commands from "@/app/api/v1/agents/[id]/commands/route";
import * as events from "@/app/api/v1/agents/[id]/eventlogs/route";
import * as heartbeat from "@/app/api/v1/agents/[id]/heartbeat/route";
import * as logs from "@/app/api/v1/agents/[id]/logs/route";
import * as enroll from "@/app/api/v1/agents/enroll/route";
import * as diagnostics from "@/app/api/v1/devices/[id]/diagnostic-logs/route";
import * as liveEvent from "@/app/api/v1/devices/[id]/eventlogs/[name]/events/[recordId]/route";
import * as liveEvents from "@/app/api/v1/devices/[id]/eventlogs/[name]/events/route";
import * as storedEvents from "@/app/api/v1/devices/[id]/eventlogs/route";
import * as liveLogs from "@/app/api/v1/devices/[id]/live-eventlogs/route";
import * as device from "@/app/api/v1/devices/[id]/route";
import { stopRelay } from "@/server/devices/live/relay";
import { createFront, createListener } from "@/server/doors/front/front";
import { closeStreams } from "@/server/ground/background/streams";
import { createApiKey, createDevice, createEnrollmentKey, createOrg, type TestOrg } from "@/testing/factories";
import { connectAgent } from "@/testing/live-agent";
import { listen } from "@/testing/port-of";
import { startProgram } from "@/testing/program";
import { tempFolder } from "@/testing/temp-folder";
import { checkAgent } from "./check";

const ROUTES = {
  "/agents/enroll": enroll,
  "/agents/[id]/heartbeat": heartbeat,
  "/agents/[id]/logs": logs,
  "/agents/[id]/eventlogs": events,
  "/agents/[id]/commands": commands,
  "/agents/[id]/commands/[commandId]/result": result,
  "/devices/[id]": device,
  "/devices/[id]/diagnostic-logs": diagnostics,
  "/devices/[id]/eventlogs": storedEvents,
  "/devices/[id]/live-eventlogs": liveLogs,
  "/devices/[id]/eventlogs/[name]/events": liveEvents,
  "/devices/[id]/eventlogs/[name]/events/[recordId]": liveEvent,
};
const front = createFront(
  createListener({
    routes: Object.entries(ROUTES).map(([path, module]) => ({ path: `/api/v1${path}`, module })),
    origin: "http://127.0.0.1:3000",
    dev: false,
    next: async (_, response) => void response.writeHead(404).end(),
  }),
);
const keyFile = join(tempFolder(), "key");
let base = "";
let org: TestOrg;

beforeAll(async () => {
  base = `http://127.0.0.1:${await listen(front)}`;
  org = await createOrg();
  writeFileSync(keyFile, (await createApiKey({ orgId: org.id, permissions: ["devices:read", "devices:live"] })).key);
});
afterAll(async () => {
  closeStreams();
  await stopRelay();
  front.closeAllConnections();
  front.close();
});

async function check(deviceId: string) {
  const lines: string[] = [];
  const args = ["--url", base, "--device", deviceId, "--api-key-file", keyFile];
  const code = await checkAgent(args, (line) => lines.push(line));
  return { code, lines };
}

it("the guide's agent passes the conformance check", { timeout: 120_000 }, async () => {
  expect(readFileSync("docs/agent.py", "utf8").split("\n").length).toBeLessThanOrEqual(60);
  const { key } = await createEnrollmentKey({ orgId: org.id });
  const { child, said } = startProgram("python3", ["docs/agent.py", base, key]);
  onTestFinished(() => void child.kill());
  const [deviceId] = await said(/^\S+/);
  await expect.poll(() => check(deviceId), { interval: 1_000, timeout: 60_000 }).toMatchObject({ code: 0 });
  expect((await check(deviceId)).lines).toEqual([
    ...["ok   heartbeat", "ok   diagnostics", "ok   events", "ok   events can be sent again", "ok   list of logs"],
    ...["ok   query of Demo", "ok   level filter of Demo", "ok   entry 20 of Demo", "ok   an unknown log"],
    "The agent conforms.",
  ]);
});

it("the conformance check names response members of the wrong type", async () => {
  const own = await createDevice({ orgId: org.id });
  const entry = { recordId: "7", timeCreated: "2026-11-20T10:00:00Z", level: "error" };
  const agent = await connectAgent(`${base}/api/v1`, own, ({ name }) => ({
    ok: true,
    data: name === "eventlogs.list" ? { logs: [{ name: "System" }] } : { events: [entry], total: 1 },
  }));
  const { code, lines } = await check(own.id);
  agent.leave();
  expect(code).toBe(1);
  expect(lines.find((line) => line.startsWith("FAIL query of System"))).toContain("recordId must be a number");
  expect(lines).toContain("FAIL diagnostics: none has arrived yet");
});
