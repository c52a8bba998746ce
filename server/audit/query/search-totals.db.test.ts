import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tenant } from "@/db/client";
import { appendEvents } from "@/testing/audit-entries";
import { createOrg, createUser, ctxFor } from "@/testing/factories";
import { advanceIndex } from "@/testing/search/advance-index";
import { ACTIONS, type Filters, inLists, naive } from "@/testing/search/naive";
import { countRows } from "./count";
import { planFor } from "./plan";

describe("totals by time, actor and resource", () => {
  it("match a row count for any time range", async () => {
    const ids = Array.from({ length: 7 }, () => randomUUID());
    const org = await createOrg();
    const ctx = await ctxFor(await createUser({ orgId: org.id }));
    const kinds = ACTIONS.map((action, i) => ({
      action,
      result: (["success", "failure", "denied"] as const)[i % 3] as "success",
    }));
    const types = ["device", "Policy", "user"];
    await appendEvents(
      Array.from({ length: 4_300 }, (_, n) => ({
        orgId: org.id,
        ...kinds[(n * 7) % kinds.length],
        resourceType: types[(n * 5) % types.length],
        resourceName: n % 4 ? `Thing ${n % 11}` : null,
        resourceId: n % 6 ? ids[n % ids.length] : null,
        actorType: n % 3 ? ("agent" as const) : ("user" as const),
        actorId: n % 5 ? ids[n % ids.length] : `agent-${n % 3}`,
        actorEmail: n % 2 ? `person${n % 9}@Example.test` : null,
        details: n % 7 ? null : { rawActorId: `agent-${n % 4}` },
        timestamp: new Date(Date.UTC(2026, 5, 1) + ((n * 7919) % 4_300) * 97_531),
      })),
    );
    while ((await advanceIndex(org.id)) !== 0);
    const moment = fc
      .integer({ min: -5, max: 130 })
      .chain((h) =>
        fc.constantFrom(0, -1, 1, 1_234_567).map((ms) => new Date(Date.UTC(2026, 5, 1) + h * 3_600_000 + ms)),
      ); // prettier-ignore
    const kind = fc.record(
      {
        from: moment,
        to: moment,
        action: fc.constantFrom("user", "E"),
        result: fc.constantFrom("denied", "success"),
        type: fc.constantFrom(...types),
      },
      { requiredKeys: [] },
    ) as fc.Arbitrary<Filters>;
    const actor = fc.record(
      { user: fc.constantFrom("person", "7@ex", "nobody", "EXAMPLE"), actorId: fc.constantFrom(...ids, "agent-1") },
      { requiredKeys: [] },
    ) as fc.Arbitrary<Filters>;
    const about = fc.record(
      {
        resource: fc.constantFrom("thing 1", "polic", "%"),
        resourceId: fc.constantFrom(...ids),
        type: fc.constantFrom(...types),
      },
      { requiredKeys: [] },
    ) as fc.Arbitrary<Filters>;
    const text = fc.record({
      phrase: fc.constantFrom(
        "user",
        "LOGIN",
        "thing 1",
        "poli",
        "agent-",
        "export",
        "rawactor",
        "device",
        "r.l",
        "e1%",
      ),
    }) as fc.Arbitrary<Filters>;
    const equals = (runs: number, filters: fc.Arbitrary<Filters>) =>
      fc.assert(
        fc.asyncProperty(filters, async (q) => {
          fc.pre(!q.from || !q.to || q.from <= q.to);
          const count = await tenant(ctx.scope, async (tx) => countRows(tx, await planFor(tx, ctx, inLists(q))));
          expect([q, count]).toEqual([q, (await naive(ctx, q.phrase ?? "", q)).length]);
        }),
        { numRuns: runs },
      );
    await equals(110, fc.oneof(kind, actor, about, text));
  });
});
