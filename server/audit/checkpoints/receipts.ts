import { asSystem, type Tx } from "@/db/client";
import { readOwnReceipt } from "@/server/audit/chain/receipt";
import { type PruneReceipt, receiptText } from "@/server/audit/tree/statement";
import { keepInMonth } from "./folder";
import { originOfOrg, signStatement } from "./keys";
import { insertNote, newestReceipt } from "./note-store";
import { publishNote } from "./sinks";
import type { StoredNote } from "./stored-note";

/**
 * Signs that retention may remove the entries up to `through`, and keeps the receipt in the folder, in the database and
 * wherever notes go. It permits: a run that stops half-way may continue later.
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
 * The receipt that permits most, to be given away beside a checkpoint of this origin. Where it was signed under another one,
 * because the server has been renamed, it is the same statement signed under this.
 */
export async function receiptUnder(tx: Tx, orgId: string, origin: string): Promise<string | null> {
  const note = (await newestReceipt(tx, orgId))?.note ?? null;
  const receipt = note && readOwnReceipt(orgId, note);
  if (!receipt || receipt.origin === origin) return note;
  return signStatement(origin, receiptText({ ...receipt, origin }));
}
