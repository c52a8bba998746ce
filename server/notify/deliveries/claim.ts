import { type SQL, sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";

/** An attempt that was neither settled nor renewed by then is of a process that died: another one makes it again. */
const LEASE_SECONDS = 20;

/** A message whose turn it is, with what its sending needs. */
export type Claimed = {
  id: string;
  /** Whose endpoint it goes to: an organization's or a partner's; null for a mail. */
  owner: string | null;
  type: string;
  subject: string;
  body: string;
  attempts: number;
  /** With attempts, what tells this claim from a later one: "send again" counts attempts from the beginning. */
  claimedAt: string;
  endpoint: {
    id: string;
    url: string;
    secret: string;
    formerSecret: string | null;
    formerUntil: string | null;
    isDisabled: boolean;
  } | null;
  /** The person's present address; null for one who is disabled. */
  email: string | null;
};

/** How many messages to endpoints of each organization, or partner, are being sent. */
type Sending = Readonly<Record<string, number>>;

/** Endpoints that do not answer take a place for ten seconds each: one owner's must not take all there are. */
const MAX_OF_OWNER = 3;

/** The database's clock, which is the same to every process, unless a time is given. */
const timeOf = (now: Date | undefined): SQL => (now ? sql`${now.toISOString()}::timestamptz` : sql`now()`);

/**
 * Takes at most so many messages that are due; what one process took no other takes, until the lease is over.
 * @param now by default the database's time
 * @param sending what this process is sending already
 */
export function claim(now: Date | undefined, atMost: number, sending: Sending = {}): Promise<Claimed[]> {
  const at = timeOf(now);
  return asSystem((tx) =>
    rowsOf<Claimed>(
      tx,
      sql`WITH ranked AS (
          SELECT id, endpoint_id, coalesce(org_id, partner_id)::text AS owner, row_number() OVER (
            PARTITION BY endpoint_id IS NULL, coalesce(org_id, partner_id) ORDER BY next_attempt_at) AS place
          FROM notification_deliveries
          WHERE status = 'pending' AND next_attempt_at <= ${at}),
        due AS (
          SELECT d.id FROM notification_deliveries d JOIN ranked r ON r.id = d.id
          WHERE d.status = 'pending' AND d.next_attempt_at <= ${at} AND (r.endpoint_id IS NULL
            OR r.place + coalesce((${JSON.stringify(sending)}::text::jsonb ->> r.owner)::int, 0) <= ${MAX_OF_OWNER})
          ORDER BY d.next_attempt_at LIMIT ${atMost}
          FOR UPDATE OF d SKIP LOCKED),
        taken AS (
          UPDATE notification_deliveries d
          SET attempts = attempts + 1,
            last_attempt_at = greatest(${at}, d.last_attempt_at + interval '1 millisecond'),
            next_attempt_at = ${at} + make_interval(secs => ${LEASE_SECONDS})
          FROM due WHERE d.id = due.id
          RETURNING d.*)
      SELECT t.id, t.type, t.subject, t.body, t.attempts, t.last_attempt_at::text AS "claimedAt",
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
}

/** The message while no one has sent it again, or taken it over, since this claim. */
export const stillClaimed = ({ id, attempts, claimedAt }: Claimed): SQL => sql`
  id = ${id} AND status = 'pending' AND attempts = ${attempts} AND last_attempt_at = ${claimedAt}::timestamptz`;

/** Keeps others from a message that this process is sending still. */
export async function renew(claimed: Claimed, now?: Date): Promise<void> {
  await asSystem((tx) =>
    tx.execute(sql`
      UPDATE notification_deliveries
      SET next_attempt_at = ${timeOf(now)} + make_interval(secs => ${LEASE_SECONDS})
      WHERE ${stillClaimed(claimed)}`),
  );
}
