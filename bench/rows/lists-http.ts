import { type Bench, type Figure, figure, interleave, medianMsOf } from "@/bench/harness";
import { startBuiltServer } from "@/bench/http";
import { signIn } from "@/bench/torture/api";
import type { World } from "@/bench/world";
import { listFullEntries } from "@/server/audit/entries/list";
import { listInput } from "@/server/audit/schema";
import { createUser } from "@/testing/factories";

const CALLS = 25;

/** Row 9 over HTTP: first page with total, on one keep-alive connection, for a signed-in person. */
async function run(world: World): Promise<Figure[]> {
  const orgId = await world.history();
  const ctx = world.ctxOf(orgId);
  const statement = () => medianMsOf(CALLS, () => listFullEntries.run(ctx, listInput.parse({})));
  const server = await startBuiltServer(world);
  try {
    const person = await createUser({ orgId, partnerId: world.partnerId, role: "org_admin" });
    const authorization = `Bearer ${await signIn(server, person)}`;
    const get = (encoding: string) => async () => {
      const headers = { authorization, "accept-encoding": encoding };
      const answer = await fetch(`${server.base}/api/v1/audit-logs/logs`, { headers });
      if (answer.status !== 200) throw new Error(`the list was answered ${answer.status}: ${await answer.text()}`);
      await answer.arrayBuffer();
    };
    const seen = await interleave(world.size.full ? 15 : 9, {
      plain: () => medianMsOf(CALLS, get("identity")),
      compressed: () => medianMsOf(CALLS, get("br")),
      statement,
    });
    const shared = { row: "9", unit: "ms", reference: seen.statement };
    const name = "first page with exact total over HTTP, with a session";
    return [
      figure({ ...shared, name, value: seen.plain, target: { max: 1.9 } }),
      figure({ ...shared, name: `${name}, brotli`, value: seen.compressed, target: { max: 2.15 } }),
    ];
  } finally {
    await server.stop();
  }
}

export const httpListBench: Bench = { rows: ["9"], title: "lists over HTTP", run };
