import { and, eq, isNull } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { notifications, organizations } from "@/db/schema";
import type { NotificationKind } from "@/server/notify/vocabulary";

/** The organizations of which a kind is open, pending ones included. */
export async function openOf(kind: NotificationKind): Promise<Set<string>> {
  const where = and(eq(notifications.kind, kind), isNull(notifications.resolvedAt));
  const rows = await asSystem((tx) => tx.select({ orgId: notifications.orgId }).from(notifications).where(where));
  return new Set(rows.map(({ orgId }) => orgId));
}

/** The home organization of each partner: what concerns a whole installation is reported there. */
export async function homeOrganizations(): Promise<{ orgId: string; partnerId: string }[]> {
  const { id: orgId, partnerId, isHome } = organizations;
  return asSystem((tx) => tx.select({ orgId, partnerId }).from(organizations).where(eq(isHome, true)));
}
