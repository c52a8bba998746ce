import { sql } from "drizzle-orm";
import { everyOneOf } from "@/db/citus/each-of";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { cosignersOf } from "@/server/evidence/checkpoints/witnessed";
import type { Policy } from "@/server/evidence/tree/policy";
import { witnessPolicy } from "@/server/evidence/witnesses/policy-file";
import type { Finding } from "./finding";
import { homeOrganizations } from "./open-of";

/** A witness that cosigned one of so many newest checkpoints of a partner's organizations is there. */
const NEWEST_CHECKED = 20;

/** The newest of the newest checkpoints of a partner's organizations. */
function newestSigned(partnerId: string): Promise<{ note: string }[]> {
  return asSystem((tx) =>
    rowsOf<{ note: string }>(
      tx,
      sql`SELECT n.note FROM ${everyOneOf(partnerId)}
        CROSS JOIN LATERAL (
          SELECT note, signed_at FROM audit_notes n
          WHERE n.org_id = o.id AND n.kind = 'checkpoint' ORDER BY size DESC, signed_at DESC LIMIT 1) n
        ORDER BY n.signed_at DESC LIMIT ${NEWEST_CHECKED}`,
    ),
  );
}

async function awayFrom(partnerId: string, policy: Policy): Promise<string[]> {
  const checkpoints = await newestSigned(partnerId);
  if (checkpoints.length === 0) return [];
  const there = new Set(checkpoints.flatMap(({ note }) => cosignersOf(note, policy)).map(({ name }) => name));
  return policy.witnesses.map(({ name }) => name).filter((name) => !there.has(name));
}

/** Witnesses of the policy that none of a partner's newest checkpoints carries. */
export async function checkAwayWitnesses(_now: Date, policy = witnessPolicy()): Promise<Finding[]> {
  const found: Finding["found"] = [];
  if (policy)
    for (const { orgId, partnerId } of await homeOrganizations()) {
      const names = await awayFrom(partnerId, policy);
      if (names.length > 0) found.push({ orgId, holds: true, detail: { names } });
    }
  return [{ kind: "witness.away", checked: "all", found }];
}
