import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { customFieldImportMappings, customFieldImports } from "@/db/schema";
import { listDefinitions } from "@/server/custom-fields/definitions";
import { getImport } from "@/server/custom-fields/import/imports";
import { savePlan } from "@/server/custom-fields/import/plan";
import type { PlanField } from "@/server/custom-fields/import/plan-schema";
import { startRun } from "@/server/custom-fields/import/start";
import { updateDefinition } from "@/server/custom-fields/update";
import { auditRows } from "@/testing/factories";
import { toCsv } from "@/testing/import/files";
import { check, createWorld, run, runText, stageText, withFields } from "@/testing/import/imports";

const COMPUTERS = 40;
const PASSWORDS = ["Summer24!", "Winter24!"];
const fileOf = (title: string) =>
  toCsv([
    ["Computer ID", "Computer Name", "Rack", title],
    ...Array.from({ length: COMPUTERS }, (_, i) => [`${i + 1}`, `PC${i}`, `R${i}`, PASSWORDS[i % 2] ?? ""]),
  ]);
const DROPDOWN: Partial<PlanField> = { action: "create", type: "dropdown", options: PASSWORDS };

/** Everything that is kept of the plans and mappings of a partner, as text. */
const keptBy = (partnerId: string) =>
  asSystem(async (tx) => {
    const [i, m] = [customFieldImports, customFieldImportMappings];
    const plans = await tx.select({ plan: i.plan }).from(i).where(eq(i.partnerId, partnerId));
    const mappings = await tx.select({ mapping: m.mapping }).from(m).where(eq(m.partnerId, partnerId));
    return { plans: JSON.stringify(plans), mappings: JSON.stringify(mappings) };
  });

describe("secret columns with few distinct values", () => {
  it("are not offered as choices or stored when left out", async () => {
    const { ctx, partnerId } = await createWorld();
    const staged = await stageText(ctx, fileOf("Admin Password"));
    expect(staged.plan?.fields[3]).toMatchObject({ action: "skip", type: "text", options: null });
    await check(ctx, staged.id);
    await run(ctx, staged.id);
    const { plans, mappings } = await keptBy(partnerId);
    expect(mappings).toContain("rack");
    expect(plans + mappings).not.toContain("24!");
  });

  it("are imported as text and stay out of the definition and audit log", async () => {
    const { ctx } = await createWorld();
    await runText(ctx, fileOf("Admin Password"), { "Admin Password": { action: "create" } });
    const fields = (await listDefinitions.run(ctx, {})).data;
    expect(fields.find(({ secret }) => secret)).toMatchObject({ fieldKey: "admin_password", type: "text" });
    expect(JSON.stringify(fields)).not.toContain("24!");
    const entries = JSON.stringify((await auditRows(ctx.homeOrgId ?? "")).map(({ details }) => details));
    expect(entries).toContain("admin_password");
    expect(entries).not.toContain("24!");
  });

  it.each([
    ["chosen as a dropdown by hand", "Admin Password", DROPDOWN],
    ["marked as a secret after it was guessed as a dropdown", "Vault", { secret: true }],
    ["left out and marked as a secret", "Vault", { secret: true, action: "skip" }],
    [
      "decided about one by one",
      "Admin Password",
      { ...DROPDOWN, options: ["A"], decisions: PASSWORDS.map((text) => ({ text, action: "add" })) },
    ],
  ] satisfies [string, string, Partial<PlanField>][])("are not stored if the column is %s", async (_, title, how) => {
    const { ctx, partnerId } = await createWorld();
    const staged = await stageText(ctx, fileOf(title));
    const saved = await savePlan.run(ctx, { id: staged.id, plan: withFields(staged, { [title]: how }) });
    expect(saved.plan?.fields[3]).toMatchObject({ secret: true, type: "text", options: null, decisions: [] });
    await check(ctx, staged.id);
    await run(ctx, staged.id);
    const { plans, mappings } = await keptBy(partnerId);
    expect(plans + mappings + JSON.stringify((await listDefinitions.run(ctx, {})).data)).not.toContain("24!");
  });

  it("are not stored after the field is marked as secret during the import", async () => {
    const { ctx, partnerId } = await createWorld();
    await runText(ctx, fileOf("Vault").replaceAll("24!", "23!"));
    const decisions = PASSWORDS.map((text) => ({ text, action: "add" as const }));
    const staged = await stageText(ctx, fileOf("Vault"));
    await savePlan.run(ctx, { id: staged.id, plan: withFields(staged, { Vault: { decisions } }) });
    const vault = (await listDefinitions.run(ctx, {})).data.find(({ fieldKey }) => fieldKey === "vault");
    await updateDefinition.run(ctx, { id: vault?.id ?? "", secret: true });
    const accepted = withFields(await getImport.run(ctx, staged), { Vault: { typeConflictAccepted: true } });
    await savePlan.run(ctx, { id: staged.id, plan: accepted });
    await check(ctx, staged.id);
    await startRun.run(ctx, { id: staged.id });
    const { plans, mappings } = await keptBy(partnerId);
    expect(plans + mappings + JSON.stringify((await listDefinitions.run(ctx, {})).data)).not.toContain("24!");
  });
});
