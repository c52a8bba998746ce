import { expect, it } from "vitest";
import { listDefinitions } from "@/server/custom-fields/definitions";
import { editValues } from "@/server/custom-fields/import/edit";
import { cancelImport, getImport } from "@/server/custom-fields/import/imports";
import { importWork } from "@/server/custom-fields/import/run/run-job";
import { startCheck, startRun } from "@/server/custom-fields/import/start";
import { createUser, ctxFor } from "@/testing/factories";
import { check, checkText, createSimple, run, stageText, valuesOf } from "@/testing/import/imports";
import { workOff } from "@/testing/jobs";

it("a second import shares fields that the first one created meanwhile", async () => {
  const { ctx, ids, text } = await createSimple();
  const [first, second, late] = [
    await stageText(ctx, text),
    await stageText(ctx, text.replaceAll("A1", "A9")),
    await stageText(ctx, text),
  ];
  await check(ctx, first.id);
  await check(ctx, second.id);
  await run(ctx, first.id);
  const done = await run(ctx, second.id);
  expect(done).toMatchObject({ status: "done", error: null });
  expect(done.plan?.fields.map(({ action }) => action)).toEqual([
    "skip",
    "skip",
    "skip",
    "existing",
    "existing",
    "existing",
  ]);
  expect(done.summary.run?.fields[0]).toMatchObject({ same: 2, kept: 1 });
  expect((await check(ctx, late.id)).summary.check?.fields[0]).toMatchObject({ same: 3 });
  expect((await listDefinitions.run(ctx, {})).data).toHaveLength(3);
  expect(await valuesOf(ids[0] as string)).toContain("A1");
});

it("does not run a plan that another person changed after the check", async () => {
  const { ctx, partnerId, ids, text } = await createSimple();
  const other = await ctxFor(await createUser({ role: "partner_admin", partnerId }));
  const { id, revision, plan } = await checkText(ctx, text);
  const column = plan?.fields.find(({ name }) => name === "Asset Tag")?.column ?? 0;
  const edited = await editValues.run(other, { id, edit: { kind: "cell", rowNo: 1, column, value: "A7" } });
  expect(edited.status).toBe("checked");
  await expect(startRun.run(ctx, { id, revision })).rejects.toMatchObject({ code: "conflict" });
  expect(await valuesOf(ids[0] as string)).toBeNull();
  expect((await startRun.run(ctx, { id, revision: edited.revision })).status).toBe("running");
});

it("a canceled check keeps the previous one valid, unless it adopted another import's fields", async () => {
  const { ctx, text } = await createSimple();
  const [first, second] = [await stageText(ctx, text), await stageText(ctx, text)];
  await check(ctx, first.id);
  await check(ctx, second.id);
  const cancelled = async () => {
    await startCheck.run(ctx, second);
    await cancelImport.run(ctx, second);
    await workOff(importWork);
    return getImport.run(ctx, second);
  };
  expect(await cancelled()).toMatchObject({ status: "checked", job: null });
  await run(ctx, first.id);
  expect(await cancelled()).toMatchObject({ status: "staged", job: null });
});
