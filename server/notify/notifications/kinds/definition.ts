import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { z } from "zod";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { notifications, organizations } from "@/db/schema";
import type { NotificationKind } from "@/server/notify/vocabulary";

/** Facts of a condition; the members depend on its kind. */
export const detail = z.object({
  count: z.number().optional(),
  setAside: z.number().optional(),
  seq: z.number().optional(),
  names: z.array(z.string()).optional(),
  /** Distinguishes subjects whose names change. */
  ids: z.array(z.string()).optional(),
  /** Start of the condition for each subject; names lists those with a condition old enough to report. */
  seen: z.array(z.object({ name: z.string(), since: z.iso.datetime() })).optional(),
  reasons: z.array(z.string()).optional(),
  at: z.iso.datetime().optional(),
  status: z.string().optional(),
});
export type Detail = z.output<typeof detail>;

/** Whether an organization's condition holds, with its facts, or (holds false) the facts of its end. */
type FoundCondition = { orgId: string; holds: boolean; detail: Detail };

/** Result of a check. A checked organization without a finding is free of the condition. */
export type Finding = { checked: "all" | ReadonlySet<string>; found: FoundCondition[] };

/** Checks a condition, read only. */
export type Check = (now: Date) => Promise<Finding>;

/** Server side of a notification kind; label and holding time are in the vocabulary, for the browser too. */
export type KindDefinition = {
  /** Page with details, up to the organization's id. */
  page: string;
  check: Check;
  /** Sentences for the start and end of an organization's condition. */
  raised: (org: string, detail: Detail) => string;
  resolved: (org: string, detail: Detail) => string;
};

const numbers = new Intl.NumberFormat("en-GB");
const times = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium", timeZone: "UTC" });

export const number = (n = 0): string => numbers.format(n);
export const count = (n = 0, one = "", many = `${one}s`): string => `${number(n)} ${n === 1 ? one : many}`;
export const time = (at: string | Date | undefined): string =>
  at === undefined ? "a while" : `${times.format(new Date(at))} UTC`;

/** Organizations in which a condition holds, with its facts; none of the others has it. */
export const holding = (rows: readonly (Detail & { orgId: string })[]): Finding => ({
  checked: "all",
  found: rows.map(({ orgId, ...facts }) => ({ orgId, holds: true, detail: facts })),
});

/** Rows `t` of an owned table that meet a condition, at their organization or their partner's home. */
export const holdingOwned = async (table: PgTable, where: SQL): Promise<Finding> =>
  holding(
    await asSystem((tx) =>
      rowsOf<{ orgId: string; names: string[]; ids: string[] }>(
        tx,
        sql`SELECT o.id AS "orgId", array_agg(t.name ORDER BY t.name, t.id) AS names,
            array_agg(t.id ORDER BY t.name, t.id) AS ids
          FROM ${table} t
          JOIN organizations o ON o.id = t.org_id OR (t.org_id IS NULL AND o.partner_id = t.partner_id AND o.is_home)
          WHERE ${where} GROUP BY o.id`,
      ),
    ),
  );

/** Organizations with an open row of a kind, pending ones included. */
export async function openOf(kind: NotificationKind): Promise<Set<string>> {
  const where = and(eq(notifications.kind, kind), isNull(notifications.resolvedAt));
  const rows = await asSystem((tx) => tx.select({ orgId: notifications.orgId }).from(notifications).where(where));
  return new Set(rows.map(({ orgId }) => orgId));
}

/** Home organization of each partner, where conditions of the whole installation are reported. */
export async function homeOrganizations(): Promise<{ orgId: string; partnerId: string }[]> {
  const { id: orgId, partnerId, isHome } = organizations;
  return asSystem((tx) => tx.select({ orgId, partnerId }).from(organizations).where(eq(isHome, true)));
}
