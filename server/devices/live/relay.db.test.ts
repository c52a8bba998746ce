import { eq, sql } from "drizzle-orm";
import { afterAll, describe, expect, it } from "vitest";
import { appSql, asSystem } from "@/db/client";
import { agentStreams, agents, liveCommands } from "@/db/schema";
import { watchCallers } from "@/server/ground/background/streams";
import { changeRows, createDevice, createOrg, rowsIn, type TestDevice } from "@/testing/factories";
import { elapsedMs, quickest } from "@/testing/quickest";
import { type Bus, createBus } from "./bus";
import { Relay } from "./relay";
import { closeStream } from "./store";

const relays: Relay[] = [];
/** A relay with its own LISTEN connection, as a server process has. */
function createRelay(bus: Bus = createBus()): Relay {
  const relay = new Relay(bus);
  relays.push(relay);
  return relay;
}
afterAll(async () => void (await Promise.all(relays.map((relay) => relay.stop()))));

type Sent = { id: string; name: string; params: Record<string, unknown>; deadline: string };
type OnCommand = (command: Sent) => void;

async function connect(relay: Relay, device: TestDevice, onCommand: OnCommand = () => {}) {
  const state = { ended: false };
  const end = () => {
    state.ended = true;
  };
  const peer = { send: (text: string) => onCommand(JSON.parse(text)), end };
  const leave = await relay.open({ agentId: device.agentId, orgId: device.orgId, deviceId: device.id }, peer);
  return { state, leave };
}

const ok = (data: unknown) => ({ ok: true as const, data });
const list = (device: TestDevice, over: { timeoutMs?: number; signal?: AbortSignal } = {}) => ({
  agentId: device.agentId,
  name: "eventlogs.list",
  params: {},
  timeoutMs: 60_000,
  ...over,
});
const code = (wanted: string) => expect.objectContaining({ code: wanted });
const inFlight = (device: TestDevice) => rowsIn(liveCommands, { agentId: device.agentId });
const until = (check: () => boolean) => expect.poll(check, { interval: 5 }).toBe(true);

it("an agent revoked after its token check gets no stream", async () => {
  const device = await createDevice();
  await changeRows(agents, { id: device.agentId }, { revokedAt: new Date() });
  await expect(connect(createRelay(), device)).rejects.toEqual(code("unauthenticated"));
  const listed = eq(agentStreams.agentId, device.agentId);
  expect(await asSystem((tx) => tx.select().from(agentStreams).where(listed))).toEqual([]);
});

it("a stream opened during a revocation is closed", async () => {
  const device = await createDevice();
  const relay = createRelay();
  const opening = await asSystem(async (tx) => {
    await tx.update(agents).set({ revokedAt: new Date() }).where(eq(agents.id, device.agentId));
    const opened = connect(relay, device).catch((error: unknown) => error);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await closeStream(tx, device.agentId);
    return { opened };
  });
  expect(await opening.opened).toEqual(code("unauthenticated"));
  expect(relay.stats.streams).toBe(0);
});

describe.for([
  ["one process", () => createRelay(), (requester: Relay) => requester, (requester: Relay) => requester],
  [
    "requester and stream on two processes, answers at the stream's",
    () => createRelay(),
    () => createRelay(),
    undefined,
  ],
  ["requester, stream and answer on three processes", () => createRelay(), () => createRelay(), () => createRelay()],
] as const)("live query over %s", ([_, createRequester, createHolder, createTaker]) => {
  const requester = createRequester();
  const holder = createHolder(requester);
  const taker = createTaker?.(requester) ?? holder;

  it("delivers the query and its answer with any characters", async () => {
    const device = await createDevice();
    const data = { text: 'NUL \0, half a pair \ud800, quotes "', nested: [1, null, { ok: true }] };
    const accepted: Promise<boolean>[] = [];
    const before = Date.now();
    const { leave } = await connect(holder, device, (command) => {
      expect(command).toMatchObject({ name: "eventlogs.query", params: { logName: "System", source: "a\0b\n" } });
      expect(new Date(command.deadline).getTime() - before).toBeGreaterThan(59_900);
      expect(new Date(command.deadline).getTime() - Date.now()).toBeLessThan(60_100);
      accepted.push(taker.settle(device.agentId, command.id, ok(data)));
    });
    const query = { ...list(device), name: "eventlogs.query", params: { logName: "System", source: "a\0b\n" } };
    expect(await requester.query(query)).toEqual(ok(data));
    expect(await Promise.all(accepted)).toEqual([true]);
    expect(await inFlight(device)).toEqual([]);
    leave();
  });

  it("times out at its deadline and rejects a late answer", async () => {
    const device = await createDevice();
    const sent: Sent[] = [];
    const { leave } = await connect(holder, device, (command) => void sent.push(command));
    const attempt = async () => {
      const before = sent.length;
      const took = await elapsedMs(() =>
        expect(requester.query(list(device, { timeoutMs: 2_000 }))).rejects.toMatchObject({
          code: "agent_timeout",
          // What the query may take, of which this command had what was left.
          message: "The agent did not answer within 30 seconds.",
        }),
      );
      expect(took).toBeGreaterThan(1_950);
      // On its way for that long: what is late is the machine.
      if (sent.length === before) return Number.POSITIVE_INFINITY;
      // The database counts from when it took the query, a moment after the requester.
      await until(() => Date.now() > Date.parse(sent.at(-1)!.deadline));
      expect(await taker.settle(device.agentId, sent.at(-1)!.id, ok(1))).toBe(false);
      return took;
    };
    expect(await quickest(3_000, attempt)).toBeLessThan(3_000);
    leave();
  });

  it("fails immediately when the agent disconnects", async () => {
    const device = await createDevice();
    const attempt = async () => {
      const { leave } = await connect(holder, device, () => setTimeout(() => leave(), 20));
      const took = elapsedMs(() => expect(requester.query(list(device))).rejects.toEqual(code("agent_disconnected")));
      await took;
      const again = () => requester.query(list(device)).catch((error) => error.code);
      await expect.poll(again, { interval: 10 }).toBe("device_offline");
      return took;
    };
    expect(await quickest(1_000, attempt)).toBeLessThan(1_000);
  });

  it("is withdrawn when the requester disconnects", async () => {
    const device = await createDevice();
    const sent: Sent[] = [];
    const { leave } = await connect(holder, device, (command) => void sent.push(command));
    const going = new AbortController();
    const answer = requester.query(list(device, { signal: going.signal }));
    await until(() => sent.length === 1);
    going.abort();
    await expect(answer).rejects.toEqual(code("unavailable"));
    await expect.poll(() => inFlight(device)).toEqual([]);
    expect(await taker.settle(device.agentId, sent[0]!.id, ok(1))).toBe(false);
    expect(requester.stats.queries).toBe(0);
    leave();
  });

  it("accepts one answer and ignores repeated, foreign and unknown ones", async () => {
    const device = await createDevice();
    const other = await createDevice();
    const sent: Sent[] = [];
    const { leave } = await connect(holder, device, (command) => void sent.push(command));
    const answer = requester.query(list(device));
    await until(() => sent.length === 1);
    const { id } = sent[0]!;
    expect(await taker.settle(other.agentId, id, ok("foreign"))).toBe(false);
    expect(await holder.settle(other.agentId, id, ok("foreign"))).toBe(false);
    const both = await Promise.all([
      taker.settle(device.agentId, id, ok("first")),
      requester.settle(device.agentId, id, ok("first")),
    ]);
    expect(both.filter(Boolean)).toHaveLength(1);
    expect(await answer).toEqual(ok("first"));
    expect(await taker.settle(device.agentId, id, ok("again"))).toBe(false);
    expect(await taker.settle(device.agentId, crypto.randomUUID(), ok("unknown"))).toBe(false);
    expect(await taker.settle(device.agentId, "no-uuid", ok("unknown"))).toBe(false);
    leave();
  });

  it("fails when a newer stream replaces the old one, which takes later queries", async () => {
    const device = await createDevice();
    const older = await connect(holder, device);
    const answer = requester.query(list(device));
    const refused = expect(answer).rejects.toEqual(code("agent_disconnected"));
    await expect.poll(async () => (await inFlight(device)).length).toBe(1);
    const newer = await connect(taker, device, (command) => void holder.settle(device.agentId, command.id, ok("new")));
    await refused;
    await until(() => older.state.ended);
    older.leave();
    expect(await requester.query(list(device))).toEqual(ok("new"));
    expect(newer.state.ended).toBe(false);
    newer.leave();
  });
});

describe("agent presence", () => {
  it("ends with the stream, the process's heartbeat or the agent's access", async () => {
    const relay = createRelay();
    const device = await createDevice();
    const { leave } = await connect(relay, device, (command) => void relay.settle(device.agentId, command.id, ok(1)));
    await relay.query(list(device));
    const set = (values: object) => changeRows(agentStreams, { agentId: device.agentId }, values);
    const ago = (seconds: number) => sql`now() - make_interval(secs => ${seconds})`;
    await set({ beatAt: ago(30) });
    await relay.query(list(device));
    // Another process's, which beats no more: this one's own sign of life may come at any time.
    await set({ beatAt: ago(46), processId: crypto.randomUUID() });
    await expect(relay.query(list(device))).rejects.toEqual(code("device_offline"));
    leave();
    const revoked = await createDevice();
    const stream = await connect(relay, revoked);
    await changeRows(agents, { id: revoked.agentId }, { revokedAt: new Date() });
    await relay.bus.notify(relay.id, "streams");
    await until(() => stream.state.ended);
  });

  it("allows at most 64 queries per agent", async () => {
    const relay = createRelay();
    const device = await createDevice();
    const { leave } = await connect(relay, device);
    const answer = Array.from({ length: 64 }, () =>
      relay.query(list(device, { timeoutMs: 60_000 })).catch((error) => error.code),
    );
    await expect.poll(async () => (await inFlight(device)).length).toBe(64);
    await expect(relay.query(list(device))).rejects.toEqual(code("rate_limited"));
    leave();
    expect(new Set(await Promise.all(answer))).toEqual(new Set(["agent_disconnected"]));
  });
});

describe("across processes", () => {
  it("revoking an agent elsewhere ends its stream and queries within two seconds", async () => {
    const [here, there] = [createRelay(), createRelay()];
    const attempt = async () => {
      const device = await createDevice();
      const { state } = await connect(there, device);
      const asked = here.query(list(device));
      await expect.poll(async () => (await inFlight(device)).length).toBe(1);
      const took = elapsedMs(async () => {
        here.notifyClosed(await asSystem((tx) => closeStream(tx, device.agentId)));
        await until(() => state.ended);
      });
      await expect(asked).rejects.toEqual(code("agent_disconnected"));
      await took;
      await expect(here.query(list(device))).rejects.toEqual(code("device_offline"));
      return took;
    };
    expect(await quickest(2_000, attempt)).toBeLessThan(2_000);
  });

  it("a change of a user's access reaches every process within two seconds", async () => {
    const [here, there] = [createRelay(), createRelay()];
    await Promise.all([here.listen(), there.listen()]);
    let woken = 0;
    const leave = watchCallers(() => void woken++);
    const attempt = () =>
      elapsedMs(async () => {
        woken = 0;
        here.notifyCallersChanged();
        await until(() => woken >= 2);
      });
    expect(await quickest(2_000, attempt)).toBeLessThan(2_000);
    leave();
  });

  it("polling covers lost notifications, and a lost LISTEN connection recovers", async () => {
    const deaf = createRelay({
      listen: async () => {},
      notify: async () => {},
      notifyAll: async () => {},
      close: async () => {},
    });
    const [requester, device] = [createRelay(), await createDevice()];
    const { leave } = await connect(
      deaf,
      device,
      (command) => void deaf.settle(device.agentId, command.id, ok("slow")),
    );
    expect(await requester.query(list(device, { timeoutMs: 15_000 }))).toEqual(ok("slow"));
    leave();
    const next = await createDevice();
    const there = await connect(
      requester,
      next,
      (command) => void requester.settle(next.agentId, command.id, ok("back")),
    );
    // As the same role: PostgreSQL lets it end its own sessions.
    const attempt = async () => {
      await appSql()`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'trailmark-live' AND pid <> pg_backend_pid()`;
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      return elapsedMs(async () =>
        expect(await createRelay().query(list(next, { timeoutMs: 15_000 }))).toEqual(ok("back")),
      );
    };
    expect(await quickest(2_500, attempt)).toBeLessThan(2_500);
    there.leave();
  });

  it("2,000 concurrent queries to 200 agents on two processes mix up no answer", async () => {
    const holders = [createRelay(), createRelay()] as const;
    const requesters = [holders[0], createRelay()] as const;
    const takers = [holders[1], requesters[1]] as const;
    const org = await createOrg();
    const devices = await Promise.all(Array.from({ length: 200 }, () => createDevice({ orgId: org.id })));
    const refused: unknown[] = [];
    const held: (() => Promise<boolean>)[] = [];
    let settled = 0;
    const streams = await Promise.all(
      devices.map((device, at) =>
        connect(holders[at % 2]!, device, ({ id, params }) => {
          held.push(() =>
            takers[held.length % 2]!.settle(device.agentId, id, ok({ agent: device.agentId, ...params })),
          );
        }),
      ),
    );
    const started = performance.now();
    const answer = Array.from({ length: 2_000 }, (_, n) => {
      const device = devices[n % 200]!;
      return requesters[n % 2]!.query({ ...list(device, { timeoutMs: 90_000 }), params: { n } })
        .then((answer) => expect(answer).toEqual(ok({ agent: device.agentId, n })))
        .catch((error) => void refused.push(error));
    });
    await expect.poll(() => held.length, { timeout: 90_000 }).toBe(2_000);
    const most = requesters[0].stats.queries + requesters[1].stats.queries;
    const placed = performance.now() - started;
    for (const answer of held.sort(() => Math.random() - 0.5))
      void answer().then((taken) => {
        settled += taken ? 1 : 0;
      });
    await Promise.all(answer);
    const total = performance.now() - started;
    expect(refused).toEqual([]);
    expect(most).toBe(2_000);
    await expect.poll(() => settled).toBe(2_000);
    for (const stream of streams) stream.leave();
    for (const relay of [...holders, ...requesters]) {
      await expect.poll(() => relay.stats).toEqual({ streams: 0, queries: 0 });
    }
    const left = await rowsIn(liveCommands, { orgId: org.id });
    expect(left).toEqual([]);
    console.info(`2,000 in flight after ${Math.round(placed)} ms, all answered after ${Math.round(total)} ms`);
  });
});
