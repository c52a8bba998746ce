import { sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { customFieldValues } from "@/db/schema";
import { createImport, getImport } from "@/server/custom-fields/import/imports";
import type { RowOutcome } from "@/server/custom-fields/import/outcome-schema";
import { savePlan } from "@/server/custom-fields/import/plan";
import type { Plan, PlanField } from "@/server/custom-fields/import/plan-schema";
import { listRows } from "@/server/custom-fields/import/rows";
import { importWork } from "@/server/custom-fields/import/run/run-job";
import type { ImportState } from "@/server/custom-fields/import/schema";
import { startCheck, startRun, startStaging } from "@/server/custom-fields/import/start";
import { uploadPart } from "@/server/custom-fields/import/upload";
import type { Ctx } from "@/server/ground/context";
import { newId } from "@/server/ground/ids";
import { createOrg, createPartner, createUser, ctxFor, rowsIn, type TestOrg, type TestUser } from "@/testing/factories";
import { workOff } from "@/testing/jobs";
import { toCsv } from "./files";

/** A partner with two organizations and an admin, for the importer's tests. */
export type World = { partnerId: string; a: TestOrg; b: TestOrg; admin: TestUser; ctx: Ctx };

export async function createWorld(): Promise<World> {
  const partner = await createPartner();
  const [a, b] = [
    await createOrg({ partnerId: partner.id, name: "Acme" }),
    await createOrg({ partnerId: partner.id, name: "Beta" }),
  ];
  const admin = await createUser({ role: "partner_admin", partnerId: partner.id });
  return { partnerId: partner.id, a, b, admin, ctx: await ctxFor(admin) };
}

export type GivenDevice = { orgId: string; hostname: string; serial?: string; sourceId?: string; os?: string };

/** Creates devices by the thousand. @returns ids in the given order */
export async function createDevices(
  partnerId: string,
  devices: readonly GivenDevice[],
  source = "automate",
): Promise<string[]> {
  const rows = devices.map((d) => ({
    id: newId(),
    o: d.orgId,
    h: d.hostname,
    s: d.serial ?? null,
    x: d.sourceId ?? null,
    os: d.os ?? "windows",
  }));
  for (let at = 0; at < rows.length; at += 10_000) {
    const json = JSON.stringify(rows.slice(at, at + 10_000));
    await asSystem(async (tx) => {
      await tx.execute(sql`
        INSERT INTO devices (id, org_id, hostname, os, serial_number)
        SELECT id, o, h, os, s FROM jsonb_to_recordset(${json}::text::jsonb) AS r(id uuid, o uuid, h text, os text, s text)`);
      await tx.execute(sql`
        INSERT INTO device_source_ids (partner_id, source, source_id, device_id, org_id)
        SELECT ${partnerId}::uuid, ${source}, x, id, o FROM jsonb_to_recordset(${json}::text::jsonb) AS r(id uuid, o uuid, x text)
        WHERE x IS NOT NULL`);
    });
  }
  return rows.map(({ id }) => id);
}

async function* once(bytes: Uint8Array) {
  yield bytes;
}

export type GivenFile = { name: string; content: string | Uint8Array };

/** Uploads files like a browser, each in one part, and stages them. */
export async function stageFiles(ctx: Ctx, files: readonly GivenFile[], source = "automate"): Promise<ImportState> {
  const created = await createImport.run(ctx, { source });
  for (const [fileNo, { name, content }] of files.entries()) {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    await uploadPart.run(
      { ...ctx, bytes: once(bytes) },
      { importId: created.id, fileNo, name, offset: 0, size: bytes.length },
    );
  }
  await startStaging.run(ctx, created);
  await workOff(importWork);
  return getImport.run(ctx, created);
}

/** Stages one file. */
export const stageText = (ctx: Ctx, content: string | Uint8Array, name = "export.csv") =>
  stageFiles(ctx, [{ name, content }]);

/** The plan with some fields changed, by column title. */
export function withFields(state: ImportState, changes: Changes): Plan {
  const plan = state.plan as Plan;
  const fields = plan.fields.map((field) => ({ ...field, ...changes[state.columns[field.column]?.title ?? ""] }));
  return { ...plan, fields };
}

export async function check(ctx: Ctx, id: string): Promise<ImportState> {
  await startCheck.run(ctx, { id });
  await workOff(importWork);
  return getImport.run(ctx, { id });
}

export async function run(ctx: Ctx, id: string): Promise<ImportState> {
  await startRun.run(ctx, { id });
  await workOff(importWork);
  return getImport.run(ctx, { id });
}

type Changes = Record<string, Partial<PlanField>>;

/** Stages one file and checks it, with some fields of its plan changed, by column title. */
export async function checkText(ctx: Ctx, content: string | Uint8Array, changes?: Changes): Promise<ImportState> {
  const staged = await stageText(ctx, content);
  if (changes) await savePlan.run(ctx, { id: staged.id, plan: withFields(staged, changes) });
  return check(ctx, staged.id);
}

/** Stages, checks and runs one file. */
export async function runText(ctx: Ctx, content: string | Uint8Array, changes?: Changes): Promise<ImportState> {
  return run(ctx, (await checkText(ctx, content, changes)).id);
}

/** A started import of an organization's partner, without a user. */
export async function importIn(orgId: string): Promise<{ id: string }> {
  const [row] = await asSystem((tx) =>
    tx.execute<{ id: string }>(sql`
      INSERT INTO custom_field_imports (id, partner_id, org_ids, created_by, created_by_name, source)
      SELECT ${newId()}::uuid, o.partner_id, ARRAY[o.id], ${newId()}::uuid, 'Nobody', 'automate' FROM organizations o
      WHERE o.id = ${orgId}::uuid RETURNING id`),
  );
  return row as { id: string };
}

export const SIMPLE_HEADER = ["Computer ID", "Computer Name", "Client Name", "Asset Tag", "Patched", "Bought"];
/** A file with the simple header. */
export const simpleCsv = (...rows: string[][]): string => toCsv([SIMPLE_HEADER, ...rows]);

/** A world with a device per name, and a file with three values for each. */
export async function createSimple(hostnames = ["PC1", "PC2", "PC3"]) {
  const world = await createWorld();
  const ids = await createDevices(
    world.partnerId,
    hostnames.map((hostname) => ({ orgId: world.a.id, hostname })),
  );
  const text = simpleCsv(
    ...hostnames.map((hostname, i) => [String(i + 1), hostname, "Acme", `A${i + 1}`, String(i % 2), "1/31/2024"]),
  );
  return { ...world, ids, text };
}

/** Outcomes of the rows, in order. */
export const outcomesOf = async (ctx: Ctx, { id }: { id: string }): Promise<RowOutcome[]> =>
  (await listRows.run(ctx, { id, limit: 200 })).rows.map((row) => row.outcome);

/** A device's values, sorted; null if it never had any. */
export async function valuesOf(deviceId: string) {
  const [row] = await rowsIn(customFieldValues, { deviceId });
  return row ? Object.values(row.values).sort() : null;
}
