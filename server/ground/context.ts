import type { Tx } from "@/db/client";
import type { Permission, Role } from "./permissions";

/** The actor of a call. actorType of the audit row is `type`. */
export type Actor =
  | { type: "user"; id: string; email: string; name: string; role: Role }
  | { type: "api_key"; id: string; name: string }
  | { type: "agent"; id: string; deviceId: string; hostname: string }
  | { type: "system" }
  | { type: "ai_agent"; id: string };

/**
 * Which organizations the caller reaches; made in server/auth alone. partnerId null: the platform's operator, cut down to
 * organizations of any partner.
 */
export type Scope =
  | { kind: "organization"; orgIds: readonly [string]; partnerId: string | null }
  | { kind: "partner"; orgIds: readonly string[]; partnerId: string | null }
  | { kind: "system" };

/**
 * The sign-in that a person's credential comes from. viaBrowser: it was begun in a browser, or its token came in a cookie;
 * provenAt is when the person last proved who they are.
 */
type Session = { id: string; viaBrowser: boolean; provenAt: Date };

/** Everything a verb knows of its caller. */
export type Ctx = {
  actor: Actor;
  scope: Scope;
  permissions: ReadonlySet<Permission>;
  /** Where acts that concern no other organization are recorded: the own organization, or the partner's home. */
  homeOrgId: string | null;
  /** Of a person alone. */
  session?: Session;
  /** The person's organization requires a second factor and they have none: only their own account is open to them. */
  mustEnroll?: true;
  ip: string | null;
  userAgent: string | null;
  requestId: string;
  now: () => Date;
  /** Aborted when the caller goes away. */
  signal?: AbortSignal;
  /** Looks the caller up again, for an answer that stays open; throws what a new request would be refused with. */
  recheck?: () => Promise<Ctx>;
  /** Of a request with an Idempotency-Key: keeps its result, to be answered again, in the transaction that does the work. */
  keep?: (tx: Tx, result: unknown) => Promise<void>;
  /** The ETags of which one must be that of what is changed; any or none where it is left out. */
  ifMatch?: readonly string[] | undefined;
  /** The body as it arrives, for a route that takes a stream: unread, undecoded and unlimited. */
  bytes?: AsyncIterable<Uint8Array> | undefined;
};

/** The caller and the caller's reach: the part of Ctx that a credential decides. */
export type Caller = Pick<Ctx, "actor" | "scope" | "permissions" | "homeOrgId" | "session" | "mustEnroll">;

/** The platform itself, for work without a human or program behind it. */
export function systemCtx(): Ctx {
  return {
    actor: { type: "system" },
    scope: { kind: "system" },
    permissions: new Set(),
    homeOrgId: null,
    ip: null,
    userAgent: null,
    requestId: crypto.randomUUID(),
    now: () => new Date(),
  };
}

export const ZERO_UUID = "00000000-0000-0000-0000-000000000000";
