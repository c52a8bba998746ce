import { type Bench, type Figure, figuresOf, inParallel, interleave, rateOf } from "@/bench/harness";
import { bodyMaker, createAgent, putFor, startBuiltServer } from "@/bench/http";
import { startChild } from "@/bench/spawn";
import type { World } from "@/bench/world";
import { type DeviceEvent, ingestInput } from "@/server/devices/logs/event-log-schema";
import { insertEvents } from "./bare-server";

const BULK_EVENTS = 500;
const BULK_CONNECTIONS = 4;
const FEW_EVENTS = 20;
const FEW_CONNECTIONS = 32;

/** Rows 5 and 6: agents submit events, end to end. */
async function run(world: World): Promise<Figure[]> {
  const [, orgId = ""] = world.orgIds;
  const agent = await createAgent(orgId);
  const server = await startBuiltServer(world);
  const bare = await startChild<{ port: number }>("bare-server", JSON.stringify(agent));
  const path = `/api/v1/agents/${agent.id}/eventlogs`;
  const [product, plain] = [`${server.base}${path}`, `http://127.0.0.1:${bare.answer.port}${path}`];
  const { token } = agent;
  const seconds = world.size.full ? 4 : 1;
  const rounds = 4;
  const bulk = bodyMaker(world, BULK_EVENTS);
  const few = bodyMaker(world, FEW_EVENTS);
  const sql = world.connect(BULK_CONNECTIONS);
  const insertRaw = () => {
    const batches = Array.from(
      { length: 40 * seconds },
      () => ingestInput.parse({ id: agent.id, ...JSON.parse(bulk()) }).events,
    );
    const work = (events: DeviceEvent[]) => insertEvents(sql, agent, events);
    return rateOf(batches.length * BULK_EVENTS, () => inParallel(BULK_CONNECTIONS, batches, work));
  };
  try {
    const large = await interleave(rounds, {
      value: async () =>
        BULK_EVENTS * (await putFor({ url: product, token, connections: BULK_CONNECTIONS, seconds, body: bulk })),
      reference: insertRaw,
    });
    const load = { token, connections: FEW_CONNECTIONS, seconds, body: few };
    const small = await interleave(rounds, {
      value: () => putFor({ ...load, url: product }),
      reference: () => putFor({ ...load, url: plain }),
    });
    const name = (events: number, connections: number) =>
      `PUT eventlogs with ${events} events, ${connections} connections`;
    return [
      figuresOf("5", "rows/s")(name(BULK_EVENTS, BULK_CONNECTIONS), large, { min: 0.75 }),
      figuresOf("6", "requests/s")(name(FEW_EVENTS, FEW_CONNECTIONS), small, { min: 0.85 }),
    ];
  } finally {
    bare.stop();
    await Promise.all([server.stop(), sql.end()]);
  }
}

export const agentBench: Bench = { rows: ["5", "6"], title: "agents' events", run };
