import { expect, it } from "vitest";
import { listDefinitions, removeDefinition } from "@/server/custom-fields/definitions";
import { downloadOutcomes, downloadRejected } from "@/server/custom-fields/import/download";
import { getImport } from "@/server/custom-fields/import/imports";
import { listRows } from "@/server/custom-fields/import/rows";
import { runWaitingImports } from "@/server/custom-fields/import/run/run-job";
import { startUndo } from "@/server/custom-fields/import/start";
import { check, createSimple, run, stageText } from "@/testing/import/imports";

it("a finished import keeps its rows, both downloads and its undo when a field that it wrote into has been deleted", async () => {
  const { ctx, text } = await createSimple(["PC1"]);
  await run(ctx, (await check(ctx, (await stageText(ctx, text)).id)).id);
  const second = await stageText(ctx, text.replace("A1", "A2"));
  expect(second.plan?.fields[3]?.action).toBe("existing");
  const { id } = await run(ctx, (await check(ctx, second.id)).id);
  const before = (await listRows.run(ctx, { id, limit: 10 })).rows;
  const tag = (await listDefinitions.run(ctx, {})).data.find(({ fieldKey }) => fieldKey === "asset_tag");
  await removeDefinition.run(ctx, { id: tag?.id ?? "" });
  const [row] = (await listRows.run(ctx, { id, limit: 10 })).rows;
  expect(row?.cells[0]).toEqual({ ...before[0]?.cells[0], held: null });
  expect(row?.cells.slice(1)).toEqual(before[0]?.cells.slice(1));
  const outcomes = await (await downloadOutcomes.run(ctx, { id })).text();
  expect(outcomes).toContain("Asset Tag (outcome)");
  expect(outcomes).toContain("Already set");
  expect(await (await downloadRejected.run(ctx, { id })).text()).toContain("Asset Tag");
  await startUndo.run(ctx, { id });
  await runWaitingImports();
  expect((await getImport.run(ctx, { id })).status).toBe("undone");
});
