import { beforeAll, describe, expect, it } from "vitest";
import { listFullEntries } from "@/server/audit/entries/list";
import { listInput } from "@/server/audit/schema";
import type { Ctx } from "@/server/ground/context";
import { toWallClock } from "@/server/ground/time/wall-clock";
import { appendEvents, type TestEvent } from "@/testing/audit-entries";
import { createOrg, createPartner, createUser, ctxFor, type TestOrg } from "@/testing/factories";
import { advanceIndex } from "@/testing/search/advance-index";
import { routineFolds, routineInput } from "./facets-schema";
import { foldRoutine } from "./routine";

const HOUR = 3_600_000;
const START = Date.UTC(2026, 9, 20);
const ZONE = "Europe/Berlin";
const COUNT = 900;

const isRoutine = (row: TestEvent) => row.action === "agent.eventlogs.submit" && row.result === "success";
const dayOf = (row: TestEvent) => toWallClock(row.timestamp as Date, ZONE).slice(0, 10);

/** Folds as a reader would make them by hand. */
function foldedByHand(rows: TestEvent[]) {
  const found = rows.filter(isRoutine);
  return [...new Set(found.map(dayOf))]
    .map((day) =>
      found
        .filter((row) => dayOf(row) === day)
        .map((row) => (row.timestamp as Date).toISOString())
        .sort(),
    )
    .map((times) => ({ count: times.length, first: times[0], last: times.at(-1) }))
    .sort((a, b) => ((a.last ?? "") < (b.last ?? "") ? 1 : -1));
}

describe("routine telemetry", () => {
  let orgs: TestOrg[];
  let ctx: Ctx;
  let rows: TestEvent[];

  beforeAll(async () => {
    const partner = await createPartner();
    orgs = [await createOrg({ partnerId: partner.id }), await createOrg({ partnerId: partner.id })];
    ctx = await ctxFor(await createUser({ partnerId: partner.id, role: "partner_admin" }));
    rows = Array.from({ length: COUNT }, (_, n) => ({
      orgId: orgs[n % 2]?.id as string,
      timestamp: new Date(START + n * (HOUR / 2)),
      action: n % 10 ? "agent.eventlogs.submit" : "device.update",
      resourceType: "device",
      result: n % 37 === 1 ? ("failure" as const) : ("success" as const),
      actorType: "agent" as const,
      actorId: `agent-${n % 3}`,
    }));
    await appendEvents(rows);
  });

  const folds = async (input: object, who = ctx) =>
    routineFolds.parse(await foldRoutine.run(who, routineInput.parse({ zone: ZONE, ...input }))).folds;
  const plain = (found: Awaited<ReturnType<typeof folds>>) =>
    found.map(({ count, first, last }) => ({ count, first, last }));
  const list = (input: object) => listFullEntries.run(ctx, listInput.parse({ routine: "without", ...input }));

  it.each(["fresh", "indexed"])("hides only successful routine entries (%s)", async (state) => {
    if (state === "indexed") for (const { id } of orgs) while (((await advanceIndex(id)) ?? 0) > 0);
    const expected = rows.filter((row) => !isRoutine(row));
    const page = await list({ limit: 100 });
    expect(page.pagination.total).toBe(expected.length);
    expect(page.data.filter(({ result }) => result === "failure").length).toBeGreaterThan(0);
    const only = await list({ routine: "only" });
    expect(only.pagination.total).toBe(rows.filter(isRoutine).length);
    const device = await list({ resource: "device", limit: 1 });
    expect(device.pagination.total).toBe(expected.length);
    expect(plain(await folds({}))).toEqual(foldedByHand(rows));
  });

  it("returns count, first and last time, and agent count for each local day", async () => {
    const found = await folds({});
    expect(plain(found)).toEqual(foldedByHand(rows));
    expect(Math.max(...found.map(({ actors }) => actors ?? 0))).toBe(3);
    const cut = { from: new Date(START + 50.25 * HOUR), to: new Date(START + 99.75 * HOUR) };
    const inside = rows.filter(({ timestamp: at }) => (at as Date) >= cut.from && (at as Date) <= cut.to);
    expect(plain(await foldRoutine.run(ctx, { zone: ZONE, ...cut }).then((answer) => answer.folds))).toEqual(
      foldedByHand(inside),
    );
  });

  it("assigns each entry to exactly one page of folds", async () => {
    let [cursor, seen, pages]: [string | undefined, number, number] = [undefined, 0, 0];
    do {
      const page = await list({ limit: 20, cursor });
      const { nextCursor } = page.pagination;
      const through = nextCursor ? page.data.at(-1)?.timestamp : undefined;
      seen += (await folds({ cursor, through })).reduce((sum, fold) => sum + fold.count, 0);
      cursor = nextCursor ?? undefined;
      pages++;
    } while (cursor);
    expect(pages).toBeGreaterThan(3);
    expect(seen).toBe(rows.filter(isRoutine).length);
  });

  it("returns no folds for another organization or an empty result", async () => {
    expect(await folds({}, await ctxFor("org_viewer"))).toEqual([]);
    expect(await folds({ result: "denied" })).toEqual([]);
    await expect(foldRoutine.run(ctx, { zone: ZONE, cursor: "made up" })).rejects.toMatchObject({
      code: "validation_failed",
    });
    expect(routineInput.safeParse({ zone: "Middle/Earth" }).success).toBe(false);
  });
});

it("folds entries beyond the row limit, merging the oldest days into one fold", async () => {
  const { id: orgId } = await createOrg();
  const ctx = await ctxFor(await createUser({ orgId }));
  const rows: TestEvent[] = Array.from({ length: 10_400 }, (_, n) => ({
    orgId,
    timestamp: new Date(START + n * 60_000),
    action: "agent.eventlogs.submit",
    resourceType: "device",
    result: "success" as const,
    actorType: "agent" as const,
    actorId: "agent-1",
  }));
  await appendEvents(rows);
  const { folds } = await foldRoutine.run(ctx, { zone: "UTC" });
  expect(folds.reduce((sum, { count }) => sum + count, 0)).toBe(rows.length);
  expect(folds.at(-1)).toEqual({
    count: 400,
    first: new Date(START).toISOString(),
    last: new Date(START + 399 * 60_000).toISOString(),
    actors: null,
  });
});
