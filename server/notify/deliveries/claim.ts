import { type SQL, sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";

/** A message to be sent now, with what that needs. */
export type Claimed = {
  id: string;
  kind: "webhook" | "mail";
  /** Owner of the endpoint: an organization or a partner; null for a mail. */
  owner: string | null;
  type: string;
  subject: string;
  body: string;
  attempts: number;
  /** Together with attempts, distinguishes this claim from a later one: "send again" restarts the count. */
  claimedAt: string;
  endpoint: {
    id: string;
    url: string;
    secret: string;
    formerSecret: string | null;
    formerUntil: string | null;
    isDisabled: boolean;
  } | null;
  /** Current address of the person; null if disabled. */
  email: string | null;
};

/** Starts an attempt at a waiting message; null if it was delivered, given up or deleted. */
export async function claim(id: string): Promise<Claimed | null> {
  const [claimed] = await asSystem((tx) =>
    rowsOf<Claimed>(
      tx,
      sql`WITH taken AS (
          UPDATE notification_deliveries
          SET attempts = attempts + 1, last_attempt_at = greatest(now(), last_attempt_at + interval '1 millisecond')
          WHERE id = ${id} AND status = 'pending'
          RETURNING *)
      SELECT t.id, t.type, t.subject, t.body, t.attempts, t.last_attempt_at::text AS "claimedAt",
        CASE WHEN t.endpoint_id IS NULL THEN 'mail' ELSE 'webhook' END AS kind,
        CASE WHEN e.id IS NOT NULL THEN json_build_object('id', e.id, 'url', e.url, 'secret', e.secret,
          'formerSecret', e.former_secret, 'formerUntil', e.former_until, 'isDisabled', e.disabled_at IS NOT NULL) END
          AS endpoint,
        CASE WHEN t.endpoint_id IS NOT NULL THEN coalesce(t.org_id, t.partner_id) END AS owner,
        CASE WHEN u.disabled_at IS NULL THEN u.email END AS email
      FROM taken t
      LEFT JOIN webhook_endpoints e ON e.id = t.endpoint_id
      LEFT JOIN users u ON u.id = t.user_id`,
    ),
  );
  return claimed ?? null;
}

/** The message, unless it was sent again or taken over since this attempt started. */
export const stillClaimed = ({ id, attempts, claimedAt }: Claimed): SQL => sql`
  id = ${id} AND status = 'pending' AND attempts = ${attempts} AND last_attempt_at = ${claimedAt}::timestamptz`;
