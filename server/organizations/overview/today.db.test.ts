import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { detectionAlerts } from "@/db/schema";
import { listFullEntries } from "@/server/audit/entries/list";
import { listInput } from "@/server/audit/schema";
import { signCheckpoint } from "@/server/evidence/checkpoints/sign";
import { verifyNightly } from "@/server/evidence/integrity/nightly";
import type { Ctx } from "@/server/ground/context";
import { appendEvents, type TestEvent } from "@/testing/audit-entries";
import { createDevice, createOrg, createPartner, createUser, ctxFor } from "@/testing/factories";
import { advanceIndex } from "@/testing/search/advance-index";
import { NEW_ADDRESS_TYPES, PRIVILEGED_ACTIONS, type Today, today } from "./schema";
import { getToday } from "./today";

const HOUR = 3_600_000;
const ago = (hours: number) => new Date(Date.now() - hours * HOUR);
const times = (n: number, event: (at: number) => TestEvent) => Array.from({ length: n }, (_, at) => event(at));

async function provenOrg(partnerId: string, events: (orgId: string) => TestEvent[]): Promise<string> {
  const { id } = await createOrg({ partnerId });
  await appendEvents([{ orgId: id, timestamp: ago(24 * 20) }, ...events(id)]);
  await signCheckpoint(id);
  await verifyNightly(id);
  return id;
}

const read = async (ctx: Ctx): Promise<Today> => today.parse(await getToday.run(ctx, {}));

const adminOf = async (partnerId: string): Promise<Ctx> =>
  ctxFor(await createUser({ partnerId, role: "partner_admin" }));

it("reports nothing for organizations with a normal last day", async () => {
  const partner = await createPartner();
  // Three failures and denials a day, as ever.
  const usual = (orgId: string) =>
    times(15 * 3, (n) => ({
      orgId,
      timestamp: ago(n * 8 + 1),
      result: n % 2 ? ("failure" as const) : ("denied" as const),
    }));
  for (const events of [usual, () => []]) await provenOrg(partner.id, events);
  const found = await read(await adminOf(partner.id));
  expect(found).toMatchObject({ organizations: 3, lines: [] });
  const hours = (Date.now() - Date.parse(found.since)) / HOUR;
  expect([hours >= 24, hours < 25.1, found.since.slice(14)]).toEqual([true, true, "00:00.000Z"]);
});

it("counts unusual activity the same as the linked lists, before and after indexing", async () => {
  const partner = await createPartner();
  const person = { actorType: "user" as const, actorId: randomUUID() };
  const quiet = await provenOrg(partner.id, () => []);
  const loud = await provenOrg(partner.id, (orgId) => [
    ...times(28, (n) => ({ orgId, timestamp: ago(25 + n * 12), result: "failure" as const })),
    ...times(12, (n) => ({ orgId, timestamp: ago(n), result: "failure" as const })),
    ...times(6, (n) => ({ orgId, timestamp: ago(n), result: "denied" as const })),
    { orgId, ...person, timestamp: ago(200), ipAddress: "198.51.100.1" },
    { orgId, ...person, timestamp: ago(2), ipAddress: "198.51.100.1" },
    { orgId, ...person, timestamp: ago(2), ipAddress: "203.0.113.7" },
    { orgId, actorType: "agent", actorId: randomUUID(), timestamp: ago(2), ipAddress: "203.0.113.8" },
    { orgId, timestamp: ago(3), action: "user.permission.change" },
    { orgId, timestamp: ago(3), action: "user.permission.change", result: "denied" },
    { orgId, timestamp: ago(30), action: "user.permission.change" },
  ]);
  const alert = { title: "Probe", description: "", level: "medium" as const, ruleDigest: "p", groupDigest: "" };
  const of = { actorId: randomUUID(), actorName: "P", entries: [1], raisedEntries: 1, entryCount: 1, groupKey: [] };
  const when = { firstAt: ago(1), lastAt: ago(1), raisedAt: ago(1), late: false, notifies: false, recorded: true };
  await asSystem((tx) =>
    tx.insert(detectionAlerts).values([
      { id: randomUUID(), orgId: loud, ...alert, ...of, ...when },
      { id: randomUUID(), orgId: loud, ...alert, ...of, ...when, state: "acknowledged" },
    ]),
  );
  await createDevice({ orgId: loud, lastSeenAt: ago(40) });
  const unproven = await createOrg({ partnerId: partner.id });
  await appendEvents([{ orgId: unproven.id, timestamp: ago(1) }]);

  const ctx = await adminOf(partner.id);
  const expected = {
    alert: [1, null, loud],
    chain: [1, null, unproven.id],
    failure: [12, 2, loud],
    denied: [7, 0, loud],
    new_address: [1, null, loud],
    privileged: [1, null, loud],
    silent: [1, null, loud],
  };
  for (const state of ["fresh", "indexed"]) {
    const { since, lines, organizations } = await read(ctx);
    const found = lines.map(({ kind, count, usual, organizations: at }) => [kind, [count, usual, at[0]?.orgId]]);
    expect([state, organizations, Object.fromEntries(found)]).toEqual([state, 4, expected]);
    const filters = {
      failure: { result: "failure" },
      denied: { result: "denied" },
      new_address: { new: "address", actorType: NEW_ADDRESS_TYPES.join(",") },
      privileged: { actions: PRIVILEGED_ACTIONS.join(","), result: "success" },
    };
    for (const [kind, filter] of Object.entries(filters)) {
      const { pagination } = await listFullEntries.run(ctx, listInput.parse({ ...filter, from: since, orgId: loud }));
      expect([kind, pagination.total]).toEqual([kind, lines.find((line) => line.kind === kind)?.count]);
    }
    for (const orgId of [quiet, loud, unproven.id]) while (((await advanceIndex(orgId)) ?? 0) > 0);
  }
});

it("uses four days of history for an organization with only four", async () => {
  const partner = await createPartner();
  const { id: orgId } = await createOrg({ partnerId: partner.id });
  await appendEvents([
    { orgId, timestamp: ago(24 * 4 + 26) },
    ...times(8, (n) => ({ orgId, timestamp: ago(26 + n * 12), result: "failure" as const })),
    ...times(10, () => ({ orgId, timestamp: ago(2), result: "failure" as const })),
  ]);
  const { lines } = await read(await adminOf(partner.id));
  expect(lines.find(({ kind }) => kind === "failure")).toMatchObject({ count: 10, usual: 2 });
});
