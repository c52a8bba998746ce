import { asSystem } from "@/db/client";
import { type Break, breakOf } from "@/server/evidence/chain/verifier";
import { newestReceipt } from "@/server/evidence/checkpoints/note-store";

/**
 * What went from the beginning of a chain must have gone by a receipt of ours: head and rows alone are the database's word.
 * @param through the last sequence that is said to have been removed; 0 for none
 * @returns the first entry whose absence no receipt explains, or null
 */
export async function unexplainedBeginning(orgId: string, through: number): Promise<Break | null> {
  const permitted = through > 0 ? ((await asSystem((tx) => newestReceipt(tx, orgId)))?.size ?? 0) : 0;
  if (through <= permitted) return null;
  const seq = permitted + 1;
  const expected = `sequence ${seq}, or a signed receipt of retention`;
  return breakOf({ seq, kind: "missing", expected, actual: `the chain begins at sequence ${through + 1}` });
}
