import { expect, it } from "vitest";
import { tenant } from "@/db/client";
import { findImport, partnerScope } from "@/server/custom-fields/import/record";
import { setDeviceValues } from "@/server/custom-fields/set-values";
import { toCsv } from "@/testing/import/files";
import { check, createDevices, createWorld, run, stageText } from "@/testing/import/imports";
import { countsOf, readBack } from "./read-back";

const DEVICES = 410;
const FIELDS = 98;

it("counts stored values per organization and field across many statements", async () => {
  const { ctx, partnerId, a, b } = await createWorld();
  const given = Array.from({ length: DEVICES }, (_, n) => ({ orgId: (n % 2 ? a : b).id, hostname: `PC${n}` }));
  const ids = await createDevices(partnerId, given);
  const header = ["Computer ID", "Computer Name", ...Array.from({ length: FIELDS }, (_, i) => `Field ${i}`)];
  const cells = (n: number) => Array.from({ length: FIELDS }, (_, i) => (i === 1 && n % 2 ? "" : `Value ${n} of ${i}`));
  const rows = given.map(({ hostname }, n) => [`${n + 1}`, hostname, ...cells(n)]);
  const staged = await stageText(ctx, toCsv([header, ...rows]));
  const { summary } = await run(ctx, (await check(ctx, staged.id)).id);
  expect(summary.run?.readBack?.map(({ written, found }) => [written, found])).toEqual(
    Array.from({ length: FIELDS }, (_, i) => (i === 1 ? [DEVICES / 2, DEVICES / 2] : [DEVICES, DEVICES])),
  );
  for (const id of [ids[0], ids[1], ids[DEVICES - 1]])
    await setDeviceValues.run(ctx, { id: id as string, field_0: id === ids[0] ? null : "changed since" });
  const found = await tenant(ctx.scope, (tx) => findImport(tx, ctx, staged.id));
  const touched = await readBack(found, partnerScope(ctx));
  expect(touched.map(({ orgId, devices }) => [orgId, devices]).sort()).toEqual(
    [a.id, b.id].map((id) => [id, DEVICES / 2]).sort(),
  );
  const [first = "", second = ""] = summary.run?.readBack?.map(({ fieldId }) => fieldId) ?? [];
  expect(countsOf(touched, first)).toEqual({ fieldId: first, written: DEVICES, found: DEVICES - 3 });
  expect(countsOf(touched, second)).toEqual({ fieldId: second, written: DEVICES / 2, found: DEVICES / 2 });
  const inLeft = touched.filter(({ orgId }) => orgId === a.id);
  expect(countsOf(inLeft, first)).toEqual({ fieldId: first, written: DEVICES / 2, found: DEVICES / 2 - 2 });
});
