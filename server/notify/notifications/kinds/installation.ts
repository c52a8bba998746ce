import { count as counted, gt, max, sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { auditRetentionPolicies, recordingLosses, webhookEndpoints } from "@/db/schema";
import { HOUR_MS } from "@/server/ground/time/durations";
import { LOSS_SHOWN_MS } from "@/server/notify/vocabulary";
import { isPruningEnabled } from "@/server/retention/schedule";
import {
  type Check,
  count,
  type Detail,
  type Finding,
  holding,
  holdingOwned,
  homeOrganizations,
  type KindDefinition,
  time,
} from "./definition";

/** A condition of the whole installation, reported at every partner's home. */
async function atHomes(holds: boolean, detail: Detail): Promise<Finding> {
  const homes = holds ? await homeOrganizations() : [];
  return holding(homes.map(({ orgId }) => ({ ...detail, orgId })));
}

/** The run is daily, possibly in another process. */
const RAN_WITHIN_MS = 48 * HOUR_MS;

/** Retention policies that are not applied. */
export async function checkPruning(now: Date, isEnabled = isPruningEnabled()): Promise<Finding> {
  const since = new Date(now.getTime() - RAN_WITHIN_MS);
  const p = auditRetentionPolicies;
  const [[policies], [pruned]] = await asSystem(async (tx) => [
    await tx.select({ n: counted() }).from(p),
    await tx.select({ n: counted() }).from(p).where(gt(p.lastCleanupAt, since)),
  ]);
  return atHomes(!isEnabled && (policies?.n ?? 0) > 0 && (pruned?.n ?? 0) === 0, {});
}

/** Events recently lost or set aside by any process. Their owner is unknown, so every partner is notified. */
const checkLostEvents: Check = async (now) => {
  const t = recordingLosses;
  const since = new Date(now.getTime() - LOSS_SHOWN_MS).toISOString();
  const [row] = await asSystem((tx) =>
    tx
      .select({
        dropped: sql<number>`coalesce(sum(${t.dropped}) FILTER (WHERE ${t.droppedAt} > ${since}::timestamptz), 0)::float8`,
        at: max(t.droppedAt),
        setAside: sql<number>`coalesce(sum(${t.deadLetters}), 0)::float8`,
      })
      .from(t)
      .where(gt(t.seenAt, new Date(since))),
  );
  const { dropped = 0, setAside = 0, at } = row ?? {};
  return atHomes(dropped + setAside > 0, { count: dropped, setAside, ...(at && { at: at.toISOString() }) });
};

function lost({ count: dropped = 0, setAside = 0, at }: Detail): string {
  const gone =
    dropped > 0 && `${count(dropped, "audit event")} ${dropped === 1 ? "was" : "were"} lost, the last at ${time(at)}`;
  const aside =
    setAside > 0 &&
    `${count(setAside, "audit event")} ${setAside === 1 ? "was" : "were"} refused by the database and set aside`;
  const whose = dropped + setAside === 1 ? "It" : "They";
  return `${[gone, aside].filter(Boolean).join("; ")}. ${whose} may belong to any organization of this installation.`;
}

export const installationKinds = {
  "pruning.off": {
    page: "/settings/retention?orgId=",
    check: (now) => checkPruning(now),
    raised: () =>
      "Expired entries are not removed, regardless of the retention policies: AUDIT_ADMIN_DATABASE_URL is not set.",
    resolved: () => "Pruning is on.",
  },
  "events.lost": {
    page: "/notifications?orgId=",
    check: checkLostEvents,
    raised: (_, detail) => lost(detail),
    resolved: () =>
      "No audit event was lost within the last 7 days, and none is set aside. What was lost before stays lost.",
  },
  "webhook.disabled": {
    page: "/settings/notifications?orgId=",
    check: () => holdingOwned(webhookEndpoints, sql`t.disabled_by_failure AND t.disabled_at IS NOT NULL`),
    raised: (org, { names = [] }) =>
      names.length === 1
        ? `The webhook endpoint ${names[0]} of ${org} was disabled by this server: it answered 410 Gone, or nothing could be delivered to it for 5 days.`
        : `The webhook endpoints ${names.join(", ")} of ${org} were disabled by this server: each answered 410 Gone, or nothing could be delivered to it for 5 days.`,
    resolved: (org) => `No webhook endpoint of ${org} is disabled because of failures.`,
  },
} satisfies Record<string, KindDefinition>;
