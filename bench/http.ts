import { join } from "node:path";
import type { WireEvent } from "@/server/devices/logs/event-log-schema";
import { createDevice } from "@/testing/factories";
import { freePort, type Server, startServer, stopServer } from "@/testing/server";
import type { World } from "./world";

export type Agent = { id: string; deviceId: string; orgId: string; token: string };

export async function createAgent(orgId: string): Promise<Agent> {
  const device = await createDevice({ orgId });
  return { id: device.agentId, deviceId: device.id, orgId, token: device.token };
}

/** Built server on loopback over the benchmark's cluster, without background work. */
export async function startBuiltServer(world: World): Promise<Server & { stop: () => Promise<void> }> {
  const { appUrl, adminUrl } = world.embedded;
  const server = await startServer({
    dataDir: join(world.dir, "server"),
    port: await freePort(),
    env: { DATABASE_URL: appUrl, AUDIT_ADMIN_DATABASE_URL: adminUrl, WORKERS: "off" },
  });
  return { ...server, stop: () => stopServer(server) };
}

let created = 0;
const MARK = "@@";

/** Bodies of PUT /agents/:id/eventlogs with distinct events. */
export function bodyMaker({ random }: World, count: number): () => string {
  const event = (i: number): WireEvent => ({
    timestamp: new Date(Date.UTC(2026, 10, 2) + i * 1000).toISOString(),
    level: random.pick(["info", "info", "info", "warning", "error"] as const),
    category: random.pick(["security", "hardware", "application", "system"] as const),
    source: random.pick(["Security-Auditing", "Service Control Manager", "disk", "kernel", "sshd"]),
    eventId: `${MARK}-${i}`,
    message: `The service entered the running state after ${random.int(1, 900)} ms; process ${random.int(1, 65_000)}`,
    details: { pid: random.int(1, 65_000), user: `user${random.int(1, 60)}`, host: `WS-${random.int(1, 400)}` },
  });
  const parts = JSON.stringify({ events: Array.from({ length: count }, (_, i) => event(i)) }).split(MARK);
  return () => parts.join(String(++created));
}

type Load = { url: string; token: string; connections: number; seconds: number; body: () => string };

/**
 * PUTs for some seconds. @returns requests per second
 * @throws Error on any answer but 200
 */
export async function putFor({ url, token, connections, seconds, body }: Load): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const started = performance.now();
  let [answers, last, refused] = [0, started, 0];
  const { default: autocannon } = await import("autocannon");
  await autocannon({
    url,
    connections,
    duration: seconds,
    requests: [{ method: "PUT", headers, setupRequest: (request) => ({ ...request, body: body() }) }],
    setupClient: (client) =>
      client.on("response", (status) => {
        if (status !== 200) refused = status;
        answers++;
        last = performance.now();
      }),
  });
  if (refused > 0) throw new Error(`${url} answered ${refused}`);
  return (answers * 1000) / (last - started);
}
