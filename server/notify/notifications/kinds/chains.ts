import { asc, sql } from "drizzle-orm";
import { layout } from "@/db/citus/layout";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { organizations } from "@/db/schema";
import { isHeadAlarm } from "@/server/audit/vocabulary";
import { cosignersOf } from "@/server/evidence/checkpoints/witnessed";
import { openAlarms } from "@/server/evidence/integrity/alarm";
import { listLostHeads } from "@/server/evidence/integrity/heads";
import { readState } from "@/server/evidence/integrity/state";
import type { Policy } from "@/server/evidence/tree/policy";
import { witnessPolicy } from "@/server/evidence/witnesses/policy-file";
import {
  type Check,
  type Detail,
  type Finding,
  holding,
  homeOrganizations,
  type KindDefinition,
  number,
  openOf,
  time,
} from "./definition";

/** Chains with an open alarm. A lost head is a separate kind, reported on its own while it is the only finding. */
const checkBroken: Check = async () => {
  const broken = (await openAlarms({ kind: "system" })).filter((alarm) => !isHeadAlarm(alarm));
  return holding(
    broken.map(({ orgId, breaks }) => ({
      orgId,
      ...(breaks.length > 0 && { seq: Math.min(...breaks.map(({ seq }) => seq)) }),
    })),
  );
};

const checkLostHeads: Check = async () => {
  const [alarms, heads] = await Promise.all([openAlarms({ kind: "system" }), listLostHeads()]);
  const headless = new Set([...heads, ...alarms.filter(isHeadAlarm)].map(({ orgId }) => orgId));
  return holding([...headless].map((orgId) => ({ orgId })));
};

/** Chains checked per evaluation, in rotation, besides the open ones: each takes several queries. */
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

/** @param named organizations to check; by default the next in rotation */
export async function checkUnprovenChains(named?: readonly string[]): Promise<Finding> {
  const checked = new Set([...(named ?? (await nextInTurn())), ...(await openOf("chain.unproven"))]);
  const found: Finding["found"] = [];
  for (const orgId of checked) {
    const { status, reasons, throughSeq } = (await readState({ kind: "system" }, orgId)).state;
    const detail = status === "unproven" ? { reasons: [...new Set(reasons)] } : { status, seq: throughSeq ?? 0 };
    found.push({ orgId, holds: status === "unproven", detail });
  }
  return { checked, found };
}

const proven = (org: string, { status, seq }: Detail): string => {
  if (status === "intact") return `The audit chain of ${org} is intact through entry ${number(seq)}.`;
  if (status === "broken") return `The audit chain of ${org} is no longer only unproven: it is broken.`;
  return `The audit chain of ${org} has no entries any more.`;
};

/** A witness is present if it cosigned one of this many newest checkpoints of a partner's organizations. */
const NEWEST_CHECKED = 20;

/** Latest of the newest checkpoints of a partner's organizations. */
function newestSigned(partnerId: string): Promise<{ note: string }[]> {
  return asSystem((tx) =>
    rowsOf<{ note: string }>(
      tx,
      sql`SELECT n.note FROM ${layout().everyOneOf(partnerId)}
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

/** Witnesses of the policy missing from all of a partner's newest checkpoints. */
export async function checkAwayWitnesses(policy = witnessPolicy()): Promise<Finding> {
  const found: { orgId: string; names: string[] }[] = [];
  if (policy)
    for (const { orgId, partnerId } of await homeOrganizations())
      found.push({ orgId, names: await awayFrom(partnerId, policy) });
  return holding(found.filter(({ names }) => names.length > 0));
}

const away = ({ seen = [] }: Detail): string[] =>
  seen.map(({ name, since }) => `the witness ${name} since ${time(since)}`);

const page = "/integrity?orgId=";

export const chainKinds = {
  "chain.broken": {
    page,
    check: checkBroken,
    raised: (org, { seq }) =>
      `The audit chain of ${org} is broken. The first contradiction found is at entry ${number(seq)}.`,
    resolved: (org) => `A later verification of the whole audit chain of ${org} found no contradiction.`,
  },
  "chain.head_lost": {
    page,
    check: checkLostHeads,
    raised: (org) =>
      `The audit chain of ${org} lost its head or its end. New entries may be held until it is repaired.`,
    resolved: (org) => `The audit chain of ${org} has its head again.`,
  },
  "chain.unproven": {
    page,
    check: () => checkUnprovenChains(),
    raised: (org, { reasons = [] }) => [`The audit chain of ${org} is not proven.`, ...reasons].join(" "),
    resolved: proven,
  },
  "witness.away": {
    page,
    check: () => checkAwayWitnesses(),
    raised: (_, detail) =>
      `None of the newest checkpoints has carried a cosignature of ${away(detail).join(", nor of ")}.`,
    resolved: () => "Each witness of the policy has cosigned one of the newest checkpoints.",
  },
} satisfies Record<string, KindDefinition>;
