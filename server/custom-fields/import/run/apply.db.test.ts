import { expect, it } from "vitest";
import { toCsv } from "@/testing/import/files";
import { createDevices, createWorld, runText, valuesOf } from "@/testing/import/imports";

const ROWS = 2_300;

it("counts unchanged rows the same before, between and after written rows", async () => {
  const { ctx, partnerId, a } = await createWorld();
  const create = (...rows: number[]) =>
    createDevices(
      partnerId,
      rows.map((row) => ({ orgId: a.id, hostname: `PC${row}` })),
    );
  await create(5, 1_200, 1_205, 2_290);
  const header = ["Computer ID", "Computer Name", "Asset Tag"];
  const rows = Array.from({ length: ROWS }, (_, n) => [`${n + 1}`, `PC${n + 1}`, `Tag ${n + 1}`]);
  const runOf = async (text: string) => {
    return (await runText(ctx, text)).summary.run;
  };
  const first = await runOf(toCsv([header, ...rows]));
  expect(first).toMatchObject({ devices: 4, rows: { matched_hostname: 4, not_found: ROWS - 4 }, recordedSourceIds: 4 });
  const later = await create(6, 1_700);
  const second = await runOf(toCsv([header, ...rows]));
  expect(second).toMatchObject({
    devices: 2,
    recordedSourceIds: 2,
    rows: { matched_source_id: 4, matched_hostname: 2, not_found: ROWS - 6, ambiguous: 0 },
    fields: [{ set: 2, same: 4, none: 0 }],
    readBack: [{ written: 2, found: 2 }],
  });
  expect(await Promise.all(later.map(valuesOf))).toEqual([["Tag 6"], ["Tag 1700"]]);
  const third = await runOf(toCsv([header, ...rows]));
  expect(third).toMatchObject({ devices: 0, rows: { matched_source_id: 6 }, fields: [{ set: 0, same: 6 }] });
});
