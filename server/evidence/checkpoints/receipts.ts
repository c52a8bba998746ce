import { asSystem } from "@/db/client";
import { readOwnReceipt } from "@/server/evidence/chain/note-signature";
import { type PruneReceipt, receiptText } from "@/server/evidence/tree/statement";
import { keepInMonth } from "./folder";
import { insertNote, publishNote } from "./note-store";
import type { StoredNote } from "./stored-note";
import { originOfOrg, signStatement } from "./stored-note";

/**
 * Signs that retention may remove the entries up to `through`, and stores the receipt in folder, database and other
 * destinations. A run that stops halfway may continue under it later.
 */
export async function signReceipt(orgId: string, receipt: Omit<PruneReceipt, "origin">): Promise<StoredNote> {
  const origin = originOfOrg(orgId);
  const note = signStatement(origin, receiptText({ origin, ...receipt }));
  const stored: StoredNote = { orgId, kind: "receipt", size: receipt.through, signedAt: receipt.signedAt, note };
  await keepInMonth(stored);
  await asSystem((tx) => insertNote(tx, stored));
  await publishNote(stored);
  return stored;
}

/**
 * Our receipt for publication beside a checkpoint of this origin. If it was signed under the server's former name, it
 * is signed again under this one.
 */
export function receiptUnder(orgId: string, origin: string, note: string): string {
  const receipt = readOwnReceipt(orgId, note);
  if (!receipt || receipt.origin === origin) return note;
  return signStatement(origin, receiptText({ ...receipt, origin }));
}
