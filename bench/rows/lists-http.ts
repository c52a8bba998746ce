import { figure, interleave, medianMsOf } from "@/bench/harness";
import { accessToken, startBuiltServer } from "@/bench/http";
import type { World } from "@/bench/world";
import { createUser } from "@/testing/factories";

const CALLS = 25;

/** Row 9 over HTTP: the first page with its total, on one kept connection, by a person who is signed in. */
export async function listOverHttp(world: World, orgId: string, statement: () => Promise<number>) {
  const server = await startBuiltServer(world);
  try {
    const person = await createUser({ orgId, partnerId: world.partnerId, role: "org_admin" });
    const authorization = `Bearer ${await accessToken(server.base, person)}`;
    const get = (encoding: string) => async () => {
      const headers = { authorization, "accept-encoding": encoding };
      const answer = await fetch(`${server.base}/api/v1/audit-logs`, { headers });
      if (answer.status !== 200) throw new Error(`the list was answered ${answer.status}: ${await answer.text()}`);
      await answer.arrayBuffer();
    };
    const seen = await interleave(world.size.full ? 15 : 9, {
      plain: () => medianMsOf(CALLS, get("identity")),
      zipped: () => medianMsOf(CALLS, get("gzip")),
      statement,
    });
    const shared = { row: "9", unit: "ms", reference: seen.statement, target: { max: 2 } };
    return [
      figure({ ...shared, name: "the same over HTTP with a session", value: seen.plain }),
      figure({ ...shared, name: "the same over HTTP with a session, gzip", value: seen.zipped }),
    ];
  } finally {
    await server.stop();
  }
}
