import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createDevice } from "@/testing/factories";
import { portOf } from "@/testing/port-of";
import { createNatsBus, toNatsOptions } from "./nats-bus";
import { Relay } from "./relay";

const isInstalled = spawnSync("nats-server", ["--version"]).status === 0;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const port = portOf(server);
  server.close();
  return port;
}

it("an address names hosts, a login and TLS", () => {
  expect(toNatsOptions("nats://me:s%40crt@a:4222, b:4223")).toEqual({
    servers: ["a:4222", "b:4223"],
    user: "me",
    pass: "s@crt",
  });
  expect(toNatsOptions("tls://token@a:4222")).toEqual({ servers: ["a:4222"], token: "token", tls: {} });
});

/** A server that says so much, and answers a PING of the first who sends one `late` milliseconds later. */
async function startPeer(greeting: string, late = 0) {
  const sockets = new Set<Socket>();
  let pinged = 0;
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}).on("close", () => sockets.delete(socket)));
    socket.write(greeting);
    socket.on("data", (bytes) => {
      if (!bytes.includes("PING")) return;
      pinged++;
      setTimeout(() => socket.write("PONG\r\n"), late);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { url: `nats://127.0.0.1:${portOf(server)}`, sockets, pinged: () => pinged, stop };
}
const INFO = 'INFO {"server_id":"a","version":"2.10.0","proto":1,"headers":true,"max_payload":1048576}\r\n';
const listenTo = (url: string) => {
  const bus = createNatsBus(url);
  const again = vi.fn();
  return { bus, again, listening: bus.listen("me", () => {}, again) };
};

describe("a bus that is closed", () => {
  it("dials no longer a server that is away or silent", async () => {
    const silent = await startPeer("");
    for (const url of [`nats://127.0.0.1:${await freePort()}`, silent.url]) {
      const { bus, again, listening } = listenTo(url);
      await sleep(100);
      await bus.close();
      await listening;
      expect(again).not.toHaveBeenCalled();
    }
    await expect.poll(() => silent.sockets.size).toBe(0);
    silent.stop();
  });

  it("lets go of a connection that comes after", async () => {
    const peer = await startPeer(INFO, 500);
    const { bus, again, listening } = listenTo(peer.url);
    await expect.poll(peer.pinged).toBe(1);
    await bus.close();
    await listening;
    expect(again).not.toHaveBeenCalled();
    await expect.poll(() => peer.sockets.size).toBe(0);
    peer.stop();
  });

  it("closes where its server has gone, twice too", async () => {
    const peer = await startPeer(INFO);
    const { bus, again, listening } = listenTo(`127.0.0.1:${await freePort()},${peer.url}`);
    await listening;
    expect(again).toHaveBeenCalledOnce();
    peer.stop();
    await bus.close();
    await bus.close();
  });
});

describe.skipIf(!isInstalled)("two processes that speak through NATS", () => {
  let server: ChildProcess;
  let port = 0;
  const start = () => {
    server = spawn("nats-server", ["-a", "127.0.0.1", "-p", String(port)], { stdio: "ignore" });
  };
  const relays: Relay[] = [];
  beforeAll(async () => {
    port = await freePort();
    start();
  });
  afterAll(async () => {
    await Promise.all(relays.map((relay) => relay.stop()));
    server.kill();
  });

  it("bring queries and answers across, also after the NATS server came back", async () => {
    const [requester, holder, taker] = Array.from({ length: 3 }, () => {
      const relay = new Relay(createNatsBus(`nats://127.0.0.1:${port}`));
      relays.push(relay);
      return relay;
    }) as [Relay, Relay, Relay];
    const device = await createDevice();
    const { agentId, orgId, id: deviceId } = device;
    const send = (text: string) => void taker.settle(agentId, JSON.parse(text).id, { ok: true, data: "hello" });
    await holder.open({ agentId, orgId, deviceId }, { send, end: () => {} });
    const query = async () => {
      const started = Date.now();
      const answer = await requester.query({ agentId, name: "eventlogs.list", params: {}, timeoutMs: 20_000 });
      expect(answer).toEqual({ ok: true, data: "hello" });
      return Date.now() - started;
    };
    await taker.settle(agentId, crypto.randomUUID(), { ok: true, data: null }); // starts it
    expect(await query()).toBeLessThan(1_000);
    server.kill();
    await once(server, "exit");
    expect(await query()).toBeGreaterThan(1_000); // by looking, without a word
    start();
    await expect.poll(query, { interval: 500 }).toBeLessThan(1_000);
  });
});
