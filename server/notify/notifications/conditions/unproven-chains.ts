import { asc } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { organizations } from "@/db/schema";
import { readState } from "@/server/evidence/integrity/state";
import type { Finding } from "./finding";
import { openOf } from "./open-of";

/** Chains checked in one evaluation, in turn, besides the open ones: the state of each takes several queries. */
const AT_ONCE = 20;
const turn = { next: 0 };

async function nextInTurn(): Promise<string[]> {
  const rows = await asSystem((tx) =>
    tx.select({ id: organizations.id }).from(organizations).orderBy(asc(organizations.id)),
  );
  const from = turn.next < rows.length ? turn.next : 0;
  turn.next = from + AT_ONCE;
  return rows.slice(from, from + AT_ONCE).map(({ id }) => id);
}

/** @param named organizations to look at; by default the next in turn */
export async function checkUnprovenChains(named?: readonly string[]): Promise<Finding[]> {
  const kind = "chain.unproven";
  const checked = new Set([...(named ?? (await nextInTurn())), ...(await openOf(kind))]);
  const found: Finding["found"] = [];
  for (const orgId of checked) {
    const { status, reasons, throughSeq } = (await readState({ kind: "system" }, orgId)).state;
    const detail = status === "unproven" ? { reasons: [...new Set(reasons)] } : { status, seq: throughSeq ?? 0 };
    found.push({ orgId, holds: status === "unproven", detail });
  }
  return [{ kind, checked, found }];
}
