import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { enrollmentKeys, idempotencyKeys } from "@/db/schema";
import { enrollAgent } from "@/server/devices/agents/enroll";
import { systemCtx } from "@/server/ground/context";
import { roles } from "@/testing/chain";
import { call, createEnrollmentKey, createOrg, createUser, rowsIn } from "@/testing/factories";
import type { Answer } from "./answer";
import { type KeepAnswer, once } from "./idempotency";

const fresh = () => crypto.randomUUID();
/** Requests without an answer, whose claims are not older than that many seconds. */
const underWay = (seconds: number) =>
  asSystem((tx) =>
    tx.$count(idempotencyKeys, sql`status IS NULL AND claimed_at > now() - make_interval(secs => ${seconds}::float8)`),
  );

it("a retry does not run a request again while it is still running", async () => {
  const admin = await createUser();
  const key = { "Idempotency-Key": fresh() };
  const create = () =>
    call({ token: admin, headers: key }, "POST /api-keys", { name: "CI", permissions: ["audit:read"] });
  const first = await roles.owner.begin(async (tx) => {
    await tx`LOCK TABLE api_keys IN SHARE ROW EXCLUSIVE MODE`;
    const answer = create();
    await expect.poll(() => underWay(60)).toBe(1);
    await asSystem((tx) =>
      tx.execute(sql`UPDATE idempotency_keys SET claimed_at = now() - interval '61 seconds' WHERE status IS NULL`),
    );
    await expect.poll(() => underWay(30)).toBe(1);
    expect((await create()).status).toBe(409);
    return { answer };
  });
  const { status, body } = await first.answer;
  expect(status).toBe(201);
  expect((await create()).body).toEqual(body);
});

/** An enrolment under an Idempotency-Key, with a key for one agent, and what happens before and after its work. */
async function arrange() {
  const { id: orgId } = await createOrg();
  const enrollment = await createEnrollmentKey({ orgId, maxUses: 1 });
  const repeatable = { caller: `proof ${enrollment.key}`, key: fresh(), request: "POST /api/v1/agents/enroll" };
  const input = { enrollmentKey: enrollment.key, agentId: `agent-${fresh()}`, hostname: "ws-1", os: "linux" as const };
  const enroll = async (keep: KeepAnswer): Promise<Answer> => {
    const toAnswer = (result: unknown): Answer => ({ status: 201, headers: {}, body: JSON.stringify(result) });
    const ctx = { ...systemCtx(), ip: "198.51.100.92" };
    return toAnswer(await enrollAgent.run({ ...ctx, keep: (tx, result) => keep(tx, toAnswer(result)) }, input));
  };
  const uses = async () => {
    const rows = await rowsIn(enrollmentKeys, { orgId });
    return rows.map((row) => row.uses);
  };
  return { repeatable, input, enroll, uses };
}

it("a retried enrollment completes after its first process died", async () => {
  const { repeatable, input, enroll, uses } = await arrange();
  const dying = async (keep: KeepAnswer) => {
    await enroll(keep);
    throw new Error("the process died");
  };
  await expect(once(repeatable, dying)).rejects.toThrow("died");
  const again = (await once(repeatable, enroll)) as Answer;
  expect(again).toMatchObject({ status: 201, headers: { "Idempotency-Replayed": "true" } });
  expect(JSON.parse(again.body ?? "")).toMatchObject({ agentId: input.agentId, token: expect.any(String) });
  expect(await uses()).toEqual([1]);
});

it("an enrollment taken over by another process does nothing", async () => {
  const { repeatable, enroll, uses } = await arrange();
  const late = async (keep: KeepAnswer) => {
    await asSystem((tx) => tx.execute(sql`UPDATE idempotency_keys SET answer = 'another' WHERE status IS NULL`));
    return enroll(keep);
  };
  await expect(once(repeatable, late)).rejects.toMatchObject({ code: "conflict" });
  expect(await uses()).toEqual([0]);
});
