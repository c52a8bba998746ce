import { signReceipt } from "@/server/evidence/checkpoints/receipts";
import { signCheckpoint } from "@/server/evidence/checkpoints/sign";
import { daysAgo, sealedDaysAgo } from "./chain";

/** Signs a checkpoint and a receipt that permits retention to remove the rows through a sequence. */
export async function permit(orgId: string, through: number): Promise<void> {
  const signing = await signCheckpoint(orgId);
  if (signing.kind === "refused") throw new Error(`refused: ${JSON.stringify(signing.breaks)}`);
  const now = new Date().toISOString();
  await signReceipt(orgId, { through, before: now, days: 365, signedAt: now });
}

/** Lets an organization's entries have been sealed, and a checkpoint have covered them, so long ago; their timestamps stay. */
export async function signedDaysAgo(orgId: string, days: number): Promise<void> {
  await sealedDaysAgo(orgId, days);
  await signCheckpoint(orgId, { now: new Date(daysAgo(days)) });
}
