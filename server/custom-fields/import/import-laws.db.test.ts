import { sql } from "drizzle-orm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { createDefinition } from "@/server/custom-fields/definitions";
import { setDeviceValues } from "@/server/custom-fields/set-values";
import type { Ctx } from "@/server/ground/context";
import { toCsv } from "@/testing/import/files";
import { check, createDevices, createWorld, run, stageText, type World, withFields } from "@/testing/import/imports";
import { workOff } from "@/testing/jobs";
import { pickCandidate } from "./edit";
import type { ImportRow } from "./outcome-schema";
import { savePlan } from "./plan";
import type { PlanField } from "./plan-schema";
import { listRows } from "./rows";
import { importWork } from "./run/run-job";
import type { ImportState } from "./schema";
import { startUndo } from "./start";

/** Rules of the importer that hold for any inventory and any file: names, ids and values collide on purpose. */

const HEADER = ["Computer ID", "Computer Name", "Client Name", "Serial Number", "Row", "Rack", "Bought"];
const RACK: Partial<PlanField> = { type: "number", options: null, typeConflictAccepted: true };
const BOUGHT: Partial<PlanField> = { type: "date", options: null, typeConflictAccepted: true };
const RUNS = 4;
const TIMEOUT_MS = 600_000;

const hostnames = ["pc1", "PC1.corp.local", "pc1.lab.local", "pc2", "PC3", "pc4.corp.local", "pc5"];
const sourceIds = ["1", "2", "3", "4"];
const device = fc.record({
  isLeft: fc.boolean(),
  hostname: fc.constantFrom(...hostnames),
  serial: fc.constantFrom(undefined, "S1", "S2", "Default string"),
  held: fc.constantFrom(null, 5, 7),
});
/** Devices, the first of which have their source ID on record. */
const inventory = fc.record({
  devices: fc.array(device, { minLength: 2, maxLength: 9 }),
  known: fc.subarray(sourceIds),
});
const row = fc.tuple(
  fc.constantFrom("", ...sourceIds, "8", "9", "00000"),
  fc.constantFrom("", ...hostnames, "gone", "localhost"),
  fc.constantFrom("", "", "", "Acme", "beta", "Nowhere"),
  fc.constantFrom("", "", "S1", "s2", "To be filled by O.E.M."),
  fc.constantFrom("", "5", "7", "seven"),
  fc.constantFrom("", "1/31/2024", "2/30/2024"),
);
const rows = fc
  .array(row, { minLength: 2, maxLength: 14 })
  .map((list) =>
    list.map(([id, name, client, serial, ...values], i) => [id, name, client, serial, `#${i}`, ...values]),
  );
type Rows = string[][];
type Inventory = typeof inventory extends fc.Arbitrary<infer T> ? T : never;

async function arrange({ devices, known }: Inventory): Promise<World & { ids: string[] }> {
  const world = await createWorld();
  const ids = await createDevices(
    world.partnerId,
    devices.map(({ isLeft, hostname, serial }, i) => ({
      orgId: (isLeft ? world.a : world.b).id,
      hostname,
      ...(serial ? { serial } : {}),
      ...(known[i] ? { sourceId: known[i] } : {}),
    })),
  );
  return { ...world, ids };
}

async function checked(ctx: Ctx, list: Rows, changes: Record<string, Partial<PlanField>> = {}): Promise<ImportState> {
  const staged = await stageText(ctx, toCsv([HEADER, ...list]));
  const plan = withFields(staged, {
    Row: { type: "text", options: null },
    Rack: { ...RACK, ...changes.Rack },
    Bought: { ...BOUGHT, ...changes.Bought },
  });
  const identifiers = { sourceId: 0, hostname: 1, organization: 2, serial: 3 };
  const fields = plan.fields.map((field) => (field.column < 4 ? { ...field, action: "skip" as const } : field));
  const taken = fields.map((field) =>
    field.column >= 4 && field.action === "skip" ? { ...field, action: "create" as const } : field,
  );
  await savePlan.run(ctx, { id: staged.id, plan: { identifiers, fields: taken } });
  return check(ctx, staged.id);
}

const resultsOf = async (ctx: Ctx, { id }: { id: string }): Promise<ImportRow[]> =>
  (await listRows.run(ctx, { id, limit: 200 })).rows;

const CLAIM = /another row of the file claims|gives this source ID to two/;
/** Result of each row, by the row's own mark. */
async function fates(ctx: Ctx, state: ImportState) {
  const found = await resultsOf(ctx, state);
  return new Map(
    found.map((one) => {
      const { outcome, reason, device: to, cells } = one;
      const fate = { outcome, reason, to: to?.deviceId, cells: cells.map(({ outcome: o, reason: r }) => [o, r]) };
      return [cells[0]?.text ?? "", { fate, isClaim: CLAIM.test(reason ?? "") }];
    }),
  );
}

/** The marks of rows whose ID or serial number the file gives to three hostnames or more: there it is a placeholder. */
function marksOfPlaceholders(list: Rows): Set<string> {
  const hosts = new Map<string, Set<string>>();
  const keysOf = ([id = "", , , serial = ""]: string[]) =>
    [id && `id ${id}`, serial && `serial ${serial.toLowerCase()}`].filter(Boolean);
  for (const one of list)
    for (const key of keysOf(one)) {
      const short = one[1]?.toLowerCase().split(".")[0];
      if (short) hosts.set(key, (hosts.get(key) ?? new Set()).add(short));
    }
  const isShared = (one: string[]) => keysOf(one).some((key) => (hosts.get(key)?.size ?? 0) > 2);
  return new Set(list.filter(isShared).map((one) => one[4] ?? ""));
}

/** Every value and source ID of the world's devices. */
async function snapshot(ids: readonly string[]) {
  const list = `{${ids.join(",")}}`;
  return asSystem(async (tx) => ({
    values: [
      ...(await tx.execute(sql`
        SELECT d.id, COALESCE(v."values", '{}') AS held FROM devices d LEFT JOIN custom_field_values v ON v.device_id = d.id
        WHERE d.id = ANY(${list}::text::uuid[]) ORDER BY d.id`)),
    ],
    sources: [
      ...(await tx.execute(sql`
        SELECT source_id, device_id FROM device_source_ids WHERE device_id = ANY(${list}::text::uuid[]) ORDER BY 1, 2`)),
    ],
  }));
}

const changedRows = async ({ id }: { id: string }): Promise<number[]> => {
  const found = await asSystem((tx) =>
    tx.execute<{ n: number }>(sql`SELECT row_no AS n FROM custom_field_import_changes WHERE import_id = ${id}::uuid`),
  );
  return found.map(({ n }) => n);
};

async function undo(ctx: Ctx, state: ImportState): Promise<void> {
  await startUndo.run(ctx, state);
  await workOff(importWork);
}

/** The fields are there, and some devices hold values before. */
async function fill({ ctx, ids }: { ctx: Ctx; ids: string[] }, { devices }: Inventory): Promise<void> {
  for (const [name, type] of [
    ["Row", "text"],
    ["Rack", "number"],
    ["Bought", "date"],
  ] as const)
    await createDefinition.run(ctx, { name, fieldKey: name.toLowerCase(), type, required: false, secret: false });
  for (const [i, { held }] of devices.entries())
    if (held !== null) await setDeviceValues.run(ctx, { id: ids[i] as string, rack: held });
}

describe("imports of any file into any inventory", () => {
  it(
    "row outcomes depend only on the row and the database, except for duplicates",
    async () => {
      const shuffled = rows.chain((list) =>
        fc.record({
          list: fc.constant(list),
          rest: fc.shuffledSubarray(list, { minLength: 1 }),
        }),
      );
      await fc.assert(
        fc.asyncProperty(inventory, shuffled, async (given, { list, rest }) => {
          const { ctx } = await arrange(given);
          const [all, some] = [await fates(ctx, await checked(ctx, list)), await fates(ctx, await checked(ctx, rest))];
          const placeholders = marksOfPlaceholders(list);
          for (const [mark, { fate, isClaim }] of some) {
            const before = all.get(mark);
            if (placeholders.has(mark)) continue;
            if (!before?.isClaim) expect(fate).toEqual(before?.fate);
            else if (!isClaim) expect(fate.outcome).toMatch(/^matched/);
          }
        }),
        { numRuns: RUNS, endOnFailure: true },
      );
    },
    TIMEOUT_MS,
  );

  it(
    "only resolved rows are applied, never twice, and undo restores them exactly",
    async () => {
      const input = fc.record({
        given: inventory,
        list: rows,
        overwrite: fc.boolean(),
        clearBlank: fc.boolean(),
        picks: fc.boolean(),
      });
      await fc.assert(
        fc.asyncProperty(input, async ({ given, list, overwrite, clearBlank, picks }) => {
          const world = await arrange(given);
          const { ctx, ids } = world;
          await fill(world, given);
          const before = await snapshot(ids);
          const switches = { Rack: { overwrite, clearBlank }, Bought: { overwrite } };
          const first = await checked(ctx, list, switches);
          const ambiguous = (await resultsOf(ctx, first)).filter(({ outcome }) => outcome === "ambiguous");
          const picked: number[] = [];
          for (const { rowNo, candidates } of picks ? ambiguous : [])
            await pickCandidate.run(ctx, { id: first.id, rowNo, deviceId: candidates[0]?.deviceId as string }).then(
              () => picked.push(rowNo),
              (error: { code?: string }) => expect(error.code).toBe("conflict"),
            );
          await run(ctx, first.id);
          const resolved = (await resultsOf(ctx, first)).filter(
            ({ outcome, rowNo }) => outcome.startsWith("matched") || picked.includes(rowNo),
          );
          const applied = await changedRows(first);
          expect(resolved.map(({ rowNo }) => rowNo)).toEqual(expect.arrayContaining(applied));
          const after = await snapshot(ids);

          const second = await checked(ctx, list, switches);
          await run(ctx, second.id);
          expect(await changedRows(second)).toEqual([]);
          await undo(ctx, second);
          expect(await snapshot(ids)).toEqual(after);
          await undo(ctx, first);
          expect(await snapshot(ids)).toEqual(before);
        }),
        { numRuns: RUNS, endOnFailure: true },
      );
    },
    TIMEOUT_MS,
  );
});
