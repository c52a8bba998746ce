import type { Tx } from "@/db/client";
import type { Permission, Role } from "./permissions";

/** Actor of a call; `type` is the audit row's actorType. */
export type Actor =
  | { type: "user"; id: string; email: string; name: string; role: Role }
  | { type: "api_key"; id: string; name: string }
  | { type: "agent"; id: string; deviceId: string; hostname: string }
  | { type: "system" }
  | { type: "ai_agent"; id: string };

/**
 * Organizations in the caller's reach; created only in server/auth. partnerId null: the platform's operator, narrowed
 * to organizations of any partner.
 */
export type Scope =
  | { kind: "organization"; orgIds: readonly [string]; partnerId: string | null }
  | { kind: "partner"; orgIds: readonly string[]; partnerId: string | null }
  | { kind: "system" };

/**
 * A person's sign-in. viaBrowser: started in a browser, or its token came in a cookie; provenAt: last identity check.
 */
type Session = { id: string; viaBrowser: boolean; provenAt: Date };

/** Context of the caller, for every operation. */
export type Ctx = {
  actor: Actor;
  scope: Scope;
  permissions: ReadonlySet<Permission>;
  /** Organization that records actions concerning no other: the caller's own, or the partner's home. */
  homeOrgId: string | null;
  /** People only. */
  session?: Session;
  /** A required second factor is missing: only the own account is accessible. */
  mustEnroll?: true;
  ip: string | null;
  userAgent: string | null;
  requestId: string;
  now: () => Date;
  /** Aborted when the caller disconnects. */
  signal?: AbortSignal;
  /** Looks up the caller again for an open answer; throws the refusal of a new request. */
  recheck?: () => Promise<Ctx>;
  /** For requests with an Idempotency-Key: keeps the result for repeats, in the transaction of the work. */
  keep?: (tx: Tx, result: unknown) => Promise<void>;
  /** ETags, one of which must match the changed settings; any settings if omitted. */
  ifMatch?: readonly string[] | undefined;
  /** The raw body for a streaming route: unread, undecoded and unlimited. */
  bytes?: AsyncIterable<Uint8Array> | undefined;
};

/** The part of Ctx determined by a credential. */
export type Caller = Pick<Ctx, "actor" | "scope" | "permissions" | "homeOrgId" | "session" | "mustEnroll">;

/** Context of the platform itself, for work without a person or program. */
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
