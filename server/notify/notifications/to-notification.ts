import { env } from "@/server/ground/env";
import { inOneLine } from "@/server/ground/text";
import { isKind, KINDS } from "@/server/notify/vocabulary";
import { DEFINITIONS } from "./kinds";
import { detail as detailSchema } from "./kinds/definition";
import type { Notification } from "./schema";

/** A raised row with its organization's name. */
export type NotificationRow = {
  id: string;
  orgId: string;
  organization: string;
  kind: string;
  detail: unknown;
  resolution: unknown;
  since: Date;
  raisedAt: Date | null;
  raisedIn: number | null;
  resolvedAt: Date | null;
  resolvedIn: number | null;
};

const detailOf = (value: unknown) => detailSchema.safeParse(value).data ?? {};

/** A row as its reader sees it; null for a kind of another version of this server. It claims what was seen and no more. */
export function toNotification(row: NotificationRow, isRead: boolean): Notification | null {
  const { kind, organization, since, raisedAt, resolvedAt } = row;
  if (!isKind(kind) || !raisedAt) return null;
  const { raised, resolved, page } = DEFINITIONS[kind];
  return {
    id: row.id,
    orgId: row.orgId,
    organization,
    kind,
    label: KINDS[kind].label,
    status: resolvedAt ? "resolved" : "open",
    sentence: inOneLine(raised(organization, detailOf(row.detail), since)),
    resolution: resolvedAt ? inOneLine(resolved(organization, detailOf(row.resolution))) : null,
    since: since.toISOString(),
    raisedAt: raisedAt.toISOString(),
    resolvedAt: resolvedAt?.toISOString() ?? null,
    batch: row.resolvedIn ?? row.raisedIn ?? 0,
    isRead,
    link: `${env().NEXTAUTH_URL}${page}${row.orgId}`,
  };
}
