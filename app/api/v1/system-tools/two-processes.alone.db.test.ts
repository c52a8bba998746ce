import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterAll, expect, it } from "vitest";
import { bundled } from "@/testing/bundled";
import { bearer, createDevice, createOrg, createUser } from "@/testing/factories";
import { connectAgent } from "@/testing/live-agent";
import { startNode } from "@/testing/program";
import { elapsedMs, quickest } from "@/testing/quickest";

/** A separate server process that serves the live channel's routes; prints its port. */
const SERVER = `
import { createFront, createListener } from "@/server/doors/front/front";
import { closeStreams } from "@/server/ground/background/streams";
import { stopRelay } from "@/server/devices/live/relay";
import * as commands from "@/app/api/v1/agents/[id]/commands/route";
import * as result from "@/app/api/v1/agents/[id]/commands/[commandId]/result/route";
import * as events from "@/app/api/v1/system-tools/devices/[deviceId]/eventlogs/[name]/events/route";
const routes = [
  ["/agents/[id]/commands", commands],
  ["/agents/[id]/commands/[commandId]/result", result],
  ["/system-tools/devices/[deviceId]/eventlogs/[name]/events", events],
].map(([path, module]) => ({ path: "/api/v1" + path, module }));
const listener = createListener({ routes, origin: "http://127.0.0.1:3000", dev: false, next: async () => {} });
const server = createFront(listener);
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
process.on("SIGTERM", async () => {
  server.close();
  closeStreams();
  await stopRelay();
  process.exit(0);
});
`;

const program = bundled(SERVER);
const children: ChildProcess[] = [];

async function startServer(): Promise<{ base: string; child: ChildProcess }> {
  const { child, said } = startNode([program], { env: process.env });
  children.push(child);
  const [port] = await said(/^\d+(?=\n)/);
  return { base: `http://127.0.0.1:${port}/api/v1`, child };
}

afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
});

it("a query reaches an agent connected to another server process, even after a kill", async () => {
  const [stream, query] = await Promise.all([startServer(), startServer()]);
  const org = await createOrg();
  const device = await createDevice({ orgId: org.id });
  const token = await bearer(await createUser({ orgId: org.id }));
  const get = async (base: string, path: string) => {
    const response = await fetch(`${base}${path}`, { headers: { authorization: `Bearer ${token}` } });
    return { status: response.status, body: await response.json() };
  };
  const path = `/system-tools/devices/${device.id}/eventlogs/System/events`;
  const entry = { recordId: 1, timeCreated: "2026-11-20T10:00:00Z", message: "hello" };
  const answers = () => ({ ok: true, data: { events: [entry], total: 1 } });

  const first = await connectAgent(stream.base, device, answers);
  for (const { base } of [query, stream]) {
    const { status, body } = await get(base, path);
    expect([status, body.data?.[0]?.message]).toEqual([200, "hello"]);
  }
  first.leave();
  await expect.poll(async () => (await get(query.base, path)).status, { interval: 20 }).toBe(409);

  const silent = await connectAgent(stream.base, device, () => undefined);
  const inFlight = get(query.base, path);
  await expect.poll(() => silent.commands.length).toBe(1);
  stream.child.kill("SIGKILL");
  await silent.ended;
  const back = await connectAgent(query.base, device, answers);
  expect((await inFlight).body.code).toBe("agent_disconnected");
  expect((await get(query.base, path)).status).toBe(200);
  back.leave();

  const stop = async () => {
    const stopping = await startServer();
    const held = await connectAgent(stopping.base, device, () => undefined);
    const asked = get(query.base, path);
    await expect.poll(() => held.commands.length).toBe(1);
    const took = await elapsedMs(async () => {
      stopping.child.kill("SIGTERM");
      await once(stopping.child, "exit");
    });
    await held.ended;
    expect((await asked).body.code).toBe("agent_disconnected");
    expect((await get(query.base, path)).body.code).toBe("device_offline");
    return took;
  };
  expect(await quickest(2_000, stop)).toBeLessThan(2_000);
});
