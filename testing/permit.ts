import { signReceipt } from "@/server/evidence/checkpoints/receipts";
import { signCheckpoint } from "@/server/evidence/checkpoints/sign";
import { FIRST_WINDOW } from "@/server/evidence/tree/statement";
import { systemCtx } from "@/server/ground/context";
import { setPolicy } from "@/server/retention/policy";
import { daysAgo, sealedDaysAgo } from "./chain";

/** Signs a checkpoint and a receipt that permits removing rows through a sequence. */
export async function permit(orgId: string, through: number): Promise<void> {
  const signing = await signCheckpoint(orgId);
  if (signing.kind === "refused") throw new Error(`refused: ${JSON.stringify(signing.breaks)}`);
  const now = new Date().toISOString();
  await signReceipt(orgId, { through, before: now, ...FIRST_WINDOW, signedAt: now });
}

/** Sets an organization's retention by an entry of its log. */
export const keepFor = (orgId: string, retentionDays: number) =>
  setPolicy.run(systemCtx(), { id: orgId, retentionDays });

/** Backdates sealing and checkpoints of an organization's entries; timestamps stay. */
export async function signedDaysAgo(orgId: string, days: number): Promise<void> {
  await sealedDaysAgo(orgId, days);
  await signCheckpoint(orgId, { now: new Date(daysAgo(days)) });
}
