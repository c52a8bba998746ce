import { describe, expect, it } from "vitest";
import { listDefinitions } from "@/server/custom-fields/definitions";
import { ignoreMapping, listFaults, savePlan } from "@/server/custom-fields/import/plan";
import { startCheck, startRun } from "@/server/custom-fields/import/start";
import { createUser, ctxFor } from "@/testing/factories";
import { toCsv } from "@/testing/import/files";
import {
  check,
  createDevices,
  createWorld,
  run,
  runText,
  stageText,
  valuesOf,
  type World,
  withFields,
} from "@/testing/import/imports";

const HEADER = ["Computer ID", "Computer Name", "Department", "Room"];
const DEPARTMENTS = ["Finance", "IT", "Sales"];
const wide = Array.from({ length: 12 }, (_, i) => [String(i + 1), `PC${i + 1}`, DEPARTMENTS[i % 3] ?? "", `Room ${i}`]);

/**
 * A partner whose first import has made a dropdown of the departments, and an admin who reaches the organizations that
 * there are, but none to come.
 */
async function arrange() {
  const world = await createWorld();
  const given = wide.map(([, hostname = ""]) => ({ orgId: world.a.id, hostname }));
  const ids = await createDevices(world.partnerId, given);
  const departments = wide.map((row) => row.slice(0, 3));
  await runText(world.ctx, toCsv([HEADER.slice(0, 3), ...departments]));
  const organizationIds = "orgIds" in world.ctx.scope ? [...world.ctx.scope.orgIds] : [];
  const reach = { partnerId: world.partnerId, organizationIds };
  const limited = await ctxFor(await createUser({ role: "partner_admin", ...reach }));
  return { ...world, device: ids[0] as string, limited };
}

const keysOf = async ({ ctx }: Pick<World, "ctx">) =>
  (await listDefinitions.run(ctx, {})).data.map(({ fieldKey, options }) => [fieldKey, options]);

describe("an import with access to selected organizations only", () => {
  it("suggests no new fields and writes into existing ones", async () => {
    const { limited, device, ...world } = await arrange();
    const staged = await stageText(limited, toCsv([HEADER, ["1", "PC1", "Sales", "Room 9"]]));
    const actions = (plan: typeof staged.plan) => plan?.fields.map(({ action }) => action);
    expect(actions(staged.plan)).toEqual(["skip", "skip", "existing", "skip"]);
    expect(actions((await ignoreMapping.run(limited, staged)).plan)).toEqual(["skip", "skip", "existing", "skip"]);
    const plan = withFields(staged, { Department: { overwrite: true } });
    await savePlan.run(limited, { id: staged.id, plan });
    await check(limited, staged.id);
    await run(limited, staged.id);
    expect(await valuesOf(device)).toEqual(["Sales"]);
    expect(await keysOf(world)).toEqual([["department", DEPARTMENTS]]);
  });

  it("rejects a new field and a new choice at their columns and creates nothing", async () => {
    const { limited, ...world } = await arrange();
    const staged = await stageText(limited, toCsv([HEADER, ["1", "PC1", "Legal", "Room 9"]]));
    const decisions = [{ text: "Legal", action: "add" as const }];
    const plan = withFields(staged, { Department: { decisions }, Room: { action: "create" } });
    await savePlan.run(limited, { id: staged.id, plan });
    expect((await listFaults.run(limited, staged)).faults).toEqual([
      { path: "fields.2", message: expect.stringMatching(/^a choice is added by who reaches all organizations/) },
      { path: "fields.3", message: expect.stringMatching(/^a new field is made by who reaches all organizations/) },
    ]);
    await expect(startCheck.run(limited, staged)).rejects.toMatchObject({ code: "validation_failed" });
    // Checked by a colleague who may, it is still not theirs to run.
    await check(world.ctx, staged.id);
    await expect(startRun.run(limited, { id: staged.id })).rejects.toMatchObject({ code: "validation_failed" });
    expect(await keysOf(world)).toEqual([["department", DEPARTMENTS]]);
    await run(world.ctx, staged.id);
    expect(await keysOf(world)).toContainEqual(["department", [...DEPARTMENTS, "Legal"]]);
  });
});
