import { and, eq, isNull } from "drizzle-orm";
import { z } from "zod";
import { asSystem } from "@/db/client";
import { notifications, organizations } from "@/db/schema";
import type { NotificationKind } from "@/server/notify/vocabulary";

/** The facts of a condition; which members it has depends on its kind. */
export const detail = z.object({
  count: z.number().optional(),
  setAside: z.number().optional(),
  seq: z.number().optional(),
  names: z.array(z.string()).optional(),
  /** Tells those named apart where names change. */
  ids: z.array(z.string()).optional(),
  /** Since when each has it that shares the condition; names are those of them that have had it for long enough. */
  seen: z.array(z.object({ name: z.string(), since: z.iso.datetime() })).optional(),
  reasons: z.array(z.string()).optional(),
  at: z.iso.datetime().optional(),
  status: z.string().optional(),
});
export type Detail = z.output<typeof detail>;

/** Of an organization: that a condition holds, or (holds false) the facts of its end. */
type FoundCondition = { orgId: string; holds: boolean; detail: Detail };

/** The result of a check. An organization that was checked and is not found is without the condition. */
export type Finding = { checked: "all" | ReadonlySet<string>; found: FoundCondition[] };

/** Looks whether a condition holds; reads, and changes nothing. */
export type Check = (now: Date) => Promise<Finding>;

/** A kind of notification on the server; its label and how long it must hold are in the vocabulary, for the browser too. */
export type KindDefinition = {
  /** The page that shows more, up to the id of the organization. */
  page: string;
  check: Check;
  /** The sentences of an organization's condition when it begins and when it is over. */
  raised: (org: string, detail: Detail, since: Date) => string;
  resolved: (org: string, detail: Detail) => string;
};

const numbers = new Intl.NumberFormat("en-GB");
const times = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium", timeZone: "UTC" });

export const number = (n = 0): string => numbers.format(n);
export const count = (n = 0, one = "", many = `${one}s`): string => `${number(n)} ${n === 1 ? one : many}`;
export const time = (at: string | Date | undefined): string =>
  at === undefined ? "a while" : `${times.format(new Date(at))} UTC`;

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
