import { tenant } from "@/db/client";
import { rowsAtOnce } from "@/server/custom-fields/import/decide/batch-size";
import type { ImportRecord, PartnerScope } from "@/server/custom-fields/import/record";
import type { ChangedByOrg } from "@/server/custom-fields/import/schema";
import { countWritten, lastChange } from "./tables/changes";

type Counts = { written: number; found: number };
/** Values written to one organization's devices, by field; devices: number with new values. */
export type Touched = { orgId: string; devices: number; fields: Map<string, Counts> };

/**
 * Reads back the values written by an import in batches, so that no statement grows with the file.
 * @returns values written per organization, and how many are still there
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

/** Counts only. */
export const changedByOrg = (touched: readonly Touched[]): ChangedByOrg =>
  Object.fromEntries(
    touched.map(({ orgId, devices, fields }) => {
      const values = Object.fromEntries([...fields].map(([fieldId, { written }]) => [fieldId, written]));
      return [orgId, { devices, values }];
    }),
  );

/** Counts of one field over all organizations. */
export function countsOf(touched: readonly Touched[], fieldId: string): { fieldId: string } & Counts {
  const counts = touched.map(({ fields }) => fields.get(fieldId) ?? { written: 0, found: 0 });
  const sum = (which: keyof Counts) => counts.reduce((total, one) => total + one[which], 0);
  return { fieldId, written: sum("written"), found: sum("found") };
}
