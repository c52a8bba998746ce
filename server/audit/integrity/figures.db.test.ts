import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { appendEvents } from "@/testing/audit-entries";
import { createOrg } from "@/testing/factories";
import { readFigures } from "./figures";

it("moves as organizations, entries and policies do", async () => {
  const before = await readFigures();
  const { id: empty } = await createOrg();
  const { id: orgId } = await createOrg();
  await appendEvents([{ orgId }, { orgId }]);
  await asSystem((tx) =>
    tx.execute(sql`UPDATE audit_retention_policies SET last_cleanup_at = now() WHERE org_id = ${empty}::uuid`),
  );
  const DAY = 86_400;
  await asSystem((tx) =>
    tx.execute(sql`UPDATE organizations SET created_at = now() - interval '10 days' WHERE id = ${orgId}::uuid`),
  );
  const { states, unsignedAge, prunedAge, verifiedAge } = await readFigures();
  const total = (of: typeof states) => of.intact + of.broken + of.unproven + of.empty;
  expect(total(states)).toBeGreaterThanOrEqual(total(before.states) + 2);
  expect(states.empty).toBeGreaterThan(0);
  expect(states.unproven).toBeGreaterThan(0);
  expect(unsignedAge).toBeGreaterThan(0);
  expect(prunedAge).toBeGreaterThan(0);
  // No verification has read it since it was created.
  expect(verifiedAge).toBeGreaterThanOrEqual(10 * DAY);
});
