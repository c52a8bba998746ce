import { asSystem } from "@/db/client";
import { type Break, breakOf } from "@/server/evidence/chain/verifier";
import { newestReceipt } from "@/server/evidence/checkpoints/note-store";

/**
 * Checks that the pruned start of a chain is explained by our receipt: head and rows are only the database's word.
 * @param through last sequence said to be removed; 0 for none
 * @returns the first entry whose absence no receipt explains, or null
 */
export async function unexplainedBeginning(orgId: string, through: number): Promise<Break | null> {
  const permitted = through > 0 ? ((await asSystem((tx) => newestReceipt(tx, orgId)))?.size ?? 0) : 0;
  if (through <= permitted) return null;
  const seq = permitted + 1;
  const expected = `sequence ${seq}, or a signed receipt of retention`;
  return breakOf({ seq, kind: "missing", expected, actual: `the chain begins at sequence ${through + 1}` });
}
