import { tenant } from "@/db/client";
import { rowsAtOnce } from "@/server/custom-fields/import/decide/batch-size";
import type { ImportRecord, PartnerScope } from "@/server/custom-fields/import/record";
import type { ChangedByOrg } from "@/server/custom-fields/import/schema";
import { countWritten, lastChange } from "./tables/changes";

type Counts = { written: number; found: number };
/** What an import wrote to the devices of one organization, by field; devices: how many received a value. */
export type Touched = { orgId: string; devices: number; fields: Map<string, Counts> };

/**
 * Reads back what an import has written, some rows at a time: no statement grows with the file.
 * @returns what it wrote in each organization, and how much of that is there now
 */
export function readBack(found: ImportRecord, scope: PartnerScope): Promise<Touched[]> {
  const rows = rowsAtOnce(found);
  return tenant(scope, async (tx) => {
    const touched = new Map<string, Touched>();
    const last = await lastChange(tx, found.id);
    for (let after = 0; after < last; after += rows)
      for (const one of await countWritten(tx, found.id, { after, through: after + rows })) {
        const org = touched.get(one.orgId) ?? { orgId: one.orgId, devices: 0, fields: new Map() };
        const { written, found } = org.fields.get(one.fieldId) ?? { written: 0, found: 0 };
        org.devices += one.devices;
        org.fields.set(one.fieldId, { written: written + one.written, found: found + one.found });
        touched.set(one.orgId, org);
      }
    return [...touched.values()];
  });
}

/** The same as counts alone. */
export const changedByOrg = (touched: readonly Touched[]): ChangedByOrg =>
  Object.fromEntries(
    touched.map(({ orgId, devices, fields }) => {
      const values = Object.fromEntries([...fields].map(([fieldId, { written }]) => [fieldId, written]));
      return [orgId, { devices, values }];
    }),
  );

/** The same for one field in all organizations. */
export function countsOf(touched: readonly Touched[], fieldId: string): { fieldId: string } & Counts {
  const counts = touched.map(({ fields }) => fields.get(fieldId) ?? { written: 0, found: 0 });
  const sum = (which: keyof Counts) => counts.reduce((total, one) => total + one[which], 0);
  return { fieldId, written: sum("written"), found: sum("found") };
}
