import { signReceipt } from "@/server/audit/checkpoints/receipts";
import { signCheckpoint } from "@/server/audit/checkpoints/sign";

/** Signs a checkpoint and a receipt that permits retention to remove the rows through a sequence. */
export async function permit(orgId: string, through: number): Promise<void> {
  const signing = await signCheckpoint(orgId);
  if (signing.kind === "refused") throw new Error(`refused: ${JSON.stringify(signing.breaks)}`);
  const now = new Date().toISOString();
  await signReceipt(orgId, { through, before: now, days: 365, signedAt: now });
}
