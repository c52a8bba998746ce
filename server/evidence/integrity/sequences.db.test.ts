import fc from "fast-check";
import { expect, it } from "vitest";
import { appendAudit } from "@/server/audit/record/append";
import { runRetention } from "@/server/retention/run";
import { auditRows, chainOf, daysAgo, headOf, insertRaw, inTenant, roles, tamper } from "@/testing/chain";
import { createOrg } from "@/testing/factories";
import { orderedRuns, reportCases } from "@/testing/ordered";
import { keepFor } from "@/testing/permit";
import { signCheckpoint } from "./checkpoints";
import { judgeChain } from "./judge";
import { verifyNightly } from "./nightly";

/** The expected chain: the age in days of each entry, in order, and how many of the oldest are pruned. */
type Model = { ages: number[]; pruned: number; days: number | null };
type Real = { orgId: string };
type Command = fc.AsyncCommand<Model, Real>;

const command = (name: string, run: (model: Model, real: Real) => Promise<void>): Command => ({
  check: () => true,
  run,
  toString: () => name,
});

/** Nothing that was said to be there is missing, regardless of the wording. */
async function expectIs({ ages, pruned }: Model, { orgId }: Real): Promise<void> {
  const rows = await chainOf(orgId);
  const numbers = Array.from({ length: ages.length - pruned }, (_, i) => pruned + i + 1);
  expect(rows.map(({ chainSeq }) => Number(chainSeq))).toEqual(numbers);
  expect(Number((await headOf(orgId))?.prunedThroughSeq ?? 0)).toBe(pruned);
}

const write = (count: number, age: number) =>
  command(`write ${count} of ${age} days`, async (model, { orgId }) => {
    await appendAudit(roles.app, auditRows(orgId, count, { timestamp: daysAgo(age) }));
    model.ages.push(...Array.from({ length: count }, () => age));
  });

const insert = (count: number) =>
  command(`insert ${count}`, async (model, { orgId }) => {
    await inTenant([orgId], (tx) => insertRaw(tx, orgId, count));
    model.ages.push(...Array.from({ length: count }, () => 0));
  });

const setPolicy = (days: number | null) =>
  command(days === null ? "no policy" : `keep ${days} days`, async (model, { orgId }) => {
    if (days === null) await tamper((tx) => tx`DELETE FROM audit_retention_policies WHERE org_id = ${orgId}`);
    else {
      await keepFor(orgId, days);
      model.ages.push(0);
    }
    model.days = days;
  });

/** The longest beginning that is past the window goes, a receipt for each slice comes. */
const prune = (sliceRows: number) =>
  command(`prune by ${sliceRows}`, async (model, real) => {
    const { ages, pruned, days } = model;
    const isKept = (age: number) => days === null || age < days;
    const inside = ages.findIndex((age, i) => i >= pruned && isKept(age));
    const through = inside < 0 ? ages.length : inside;
    const run = await runRetention({ orgIds: [real.orgId], sliceRows });
    expect(run.organizations.flatMap(({ error }) => error ?? [])).toEqual([]);
    expect([run.status, run.rows]).toEqual(["done", through - pruned]);
    model.ages.push(...Array.from({ length: Math.ceil((through - pruned) / sliceRows) }, () => 0));
    model.pruned = through;
    await expectIs(model, real);
  });

const isSound = (model: Model, { status, breaks }: { status: string; breaks: unknown[] }) =>
  expect([breaks, status]).toEqual([[], model.ages.length === model.pruned ? "empty" : "intact"]);

const verify = command("verify", async (model, real) => {
  const found = await judgeChain(real.orgId);
  isSound(model, found);
  expect(found.rowsChecked).toBe(model.ages.length - model.pruned);
  await expectIs(model, real);
});

const night = command("night", async (model, { orgId }) => {
  const found = await verifyNightly(orgId);
  if (found) isSound(model, found);
  else expect(model.ages.length).toBe(0);
});

const sign = command("checkpoint", async (model, { orgId }) => {
  expect((await signCheckpoint(orgId))?.size ?? 0).toBe(model.ages.length);
});

const AGES = [0, 10, 40, 100, 400];
const sequence = fc.commands(
  [
    fc.tuple(fc.integer({ min: 1, max: 12 }), fc.constantFrom(...AGES)).map(([count, age]) => write(count, age)),
    fc.tuple(fc.integer({ min: 100, max: 300 }), fc.constantFrom(...AGES)).map(([count, age]) => write(count, age)),
    fc.integer({ min: 1, max: 5 }).map(insert),
    fc.constantFrom(null, 5, 30, 365).map(setPolicy),
    fc.constantFrom(3, 50, 10_000).map(prune),
    fc.constant(verify),
    fc.constant(night),
    fc.constant(sign),
  ],
  { maxCommands: 16, size: "max" },
);

const start = async () => {
  const real: Real = { orgId: (await createOrg()).id };
  return { model: { ages: [], pruned: 0, days: 365 } satisfies Model as Model, real };
};

it("writing, pruning, verifying and signing in any order keep a chain intact", async () => {
  const settings = orderedRuns(25);
  let steps = 0;
  await fc.assert(
    fc.asyncProperty(sequence, async (commands) => {
      const { model, real } = await start();
      await fc.asyncModelRun(() => ({ model, real }), commands);
      await fc.asyncModelRun(() => ({ model, real }), [verify, night]);
      steps += [...commands].length + 2;
    }),
    settings,
  );
  reportCases(settings.numRuns, `${steps} steps`);
});

it("the same sequence with one removed entry is broken", async () => {
  const { model, real } = await start();
  await fc.asyncModelRun(() => ({ model, real }), [write(5, 100), sign, setPolicy(30), write(5, 0), prune(3), verify]);
  await tamper((tx) => tx`DELETE FROM audit_logs WHERE org_id = ${real.orgId} AND chain_seq = 7`);
  await expect(verify.run(model, real)).rejects.toThrow("seq: 7");
  await expect(night.run(model, real)).rejects.toThrow("seq: 7");
  reportCases(0, "an entry that was removed in between is seen");
});
