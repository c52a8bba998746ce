import { env } from "@/server/ground/env";
import { isKind, KINDS, type NotificationKind } from "@/server/notify/vocabulary";
import type { Notification } from "./schema";
import { detail, raisedSentence, resolvedSentence } from "./sentences";

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

/** Where each kind is looked into. */
const PAGES: Record<NotificationKind, string> = {
  "chain.broken": "/integrity?orgId=",
  "chain.head_lost": "/integrity?orgId=",
  "chain.unproven": "/integrity?orgId=",
  "witness.away": "/integrity?orgId=",
  "pruning.off": "/settings/retention?orgId=",
  "events.lost": "/notifications?orgId=",
  "agents.silent": "/devices?orgId=",
  "denials.many": "/?result=denied&orgId=",
  "webhook.disabled": "/settings/notifications?orgId=",
};

const linkOf = (kind: NotificationKind, orgId: string): string => `${env().NEXTAUTH_URL}${PAGES[kind]}${orgId}`;

/** What a row says; null for a kind of another version of this server. */
export function toNotification(row: NotificationRow, isRead: boolean): Notification | null {
  const { kind, raisedAt, resolvedAt } = row;
  if (!isKind(kind) || !raisedAt) return null;
  const [raised, resolved] = [detail.safeParse(row.detail), detail.safeParse(row.resolution)];
  const fields = {
    kind,
    organization: row.organization,
    detail: raised.data ?? {},
    resolution: resolved.data ?? {},
    since: row.since,
  };
  return {
    id: row.id,
    orgId: row.orgId,
    organization: row.organization,
    kind,
    label: KINDS[kind].label,
    status: resolvedAt ? "resolved" : "open",
    sentence: raisedSentence(fields),
    resolution: resolvedAt ? resolvedSentence(fields) : null,
    since: row.since.toISOString(),
    raisedAt: raisedAt.toISOString(),
    resolvedAt: resolvedAt?.toISOString() ?? null,
    batch: row.resolvedIn ?? row.raisedIn ?? 0,
    isRead,
    link: linkOf(kind, row.orgId),
  };
}
