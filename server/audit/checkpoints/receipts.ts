import { asSystem } from "@/db/client";
import { type PruneReceipt, receiptText } from "@/server/audit/tree/statement";
import { keepInMonth } from "./folder";
import { originOfOrg, signStatement } from "./keys";
import { insertNote } from "./note-store";
import { publishNote } from "./sinks";
import type { StoredNote } from "./stored-note";

/**
 * Signs that retention may remove the entries up to `through`, and keeps the receipt in the folder, in the database and
 * wherever notes go. It permits: a run that stops half-way may continue later.
 */
export async function signReceipt(orgId: string, receipt: Omit<PruneReceipt, "origin">): Promise<StoredNote> {
  const note = signStatement(orgId, receiptText({ origin: originOfOrg(orgId), ...receipt }));
  const stored: StoredNote = { orgId, kind: "receipt", size: receipt.through, signedAt: receipt.signedAt, note };
  await keepInMonth(stored);
  await asSystem((tx) => insertNote(tx, stored));
  await publishNote(stored);
  return stored;
}
