import { eq } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { users } from "@/db/schema/index";
import { Fold } from "@/server/audit/record/fold";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { networkOf } from "@/server/ground/client-ip";
import type { Ctx } from "@/server/ground/context";
import { AppError } from "@/server/ground/errors";
import { inTurn } from "@/server/ground/limits/concurrency";
import { limit, requireAttemptsLeft } from "@/server/ground/limits/windows";
import { log } from "@/server/ground/log";
import { operation } from "@/server/ground/operation";
import { platformOrg } from "@/server/ground/partner";
import { findUserCaller } from "./caller";
import { findByEmail, type KnownPerson } from "./find-by-email";
import { verifyPassword } from "./password";
import type { Person } from "./person";
import { type TokenInput, tokenInput, tokenOutput } from "./schema";
import { secondFactorRequired } from "./second-factor/challenge";
import { secondFactorsOf } from "./second-factor/factors";
import { type Door, type SignIn, startSession, toTokens } from "./sessions";

type Failure = { email: string; row: KnownPerson; reason: "bad_password" | "disabled" };

/** A failed attempt belongs to the organization of the named person. */
export function recordFailure(ctx: Ctx, { email, row, reason }: Failure): void {
  const { id, name, role } = row;
  const actor: Person = { type: "user", id, email, name, role };
  record(
    { ...ctx, actor },
    {
      action: "user.login.failed",
      orgId: row.orgId ?? row.homeOrgId,
      ...resourceOf("user", { id, name }),
      details: { reason },
      result: reason === "disabled" ? "denied" : "failure",
      errorMessage: reason === "disabled" ? "The account is disabled." : "Wrong e-mail address or password.",
    },
  );
}

type Unknown = { ctx: Ctx; orgId: string; network: string | null; times: number };

/** Sign-ins with unknown addresses, one entry per network and minute. */
const unknownSignIns = new Fold<Unknown>(
  ({ ctx, orgId, network, times }) =>
    record(ctx, {
      action: "user.login.unknown",
      orgId,
      resourceType: "network",
      resourceName: network,
      details: { times },
      result: "denied",
    }),
  (before, after) => ({ ...after, times: before.times + after.times }),
);

/** The typed text is not stored: it may be a password in the wrong field. */
async function noteUnknown(ctx: Ctx): Promise<void> {
  log.info({ requestId: ctx.requestId, ip: ctx.ip }, "a sign-in names no account");
  const orgId = await platformOrg();
  const network = networkOf(ctx.ip);
  if (orgId) unknownSignIns.add(network ?? "", { ctx, orgId, network, times: 1 });
}

/**
 * Proves a person by password. Only failures count against e-mail and address; unknown, disabled and wrong look the
 * same from outside.
 * @throws AppError second_factor_required with a challenge for a person who has one, unauthenticated, or rate_limited
 * after too many failures.
 */
export async function signIn(ctx: Ctx, { email, password }: TokenInput, door: Door): Promise<SignIn> {
  const key = `${email} ${networkOf(ctx.ip)}`;
  await limit("token", ctx.ip);
  const { caller, passwordHash } = await inTurn(`login ${key}`, () => provePerson(ctx, { email, password, key }));
  const userId = caller.actor.id;
  const isGood = async (tx: Tx) => {
    const [row] = await tx.select({ hash: users.passwordHash }).from(users).where(eq(users.id, userId));
    return row?.hash === passwordHash;
  };
  const factors = await secondFactorsOf(userId);
  if (factors.isOn) throw await secondFactorRequired({ userId, factors, first: "password", now: ctx.now(), isGood });
  return startSession(ctx, caller, { ...door, methods: ["password"], isGood });
}

type Known = { caller: SignIn["caller"]; passwordHash: string | null };

/** Person with this e-mail and password. @throws AppError unauthenticated, rate_limited */
async function provePerson(ctx: Ctx, { email, password, key }: TokenInput & { key: string }): Promise<Known> {
  await requireAttemptsLeft("login.failed.ip", ctx.ip);
  await requireAttemptsLeft("login.failed", key);
  await requireAttemptsLeft("login.failed.account", email);
  const row = await findByEmail(email);
  const proven = await verifyPassword(row?.passwordHash, password, networkOf(ctx.ip));
  const caller = row && proven ? await findUserCaller(row.id) : null;
  if (row && caller) return { caller, passwordHash: row.passwordHash };
  if (row) recordFailure(ctx, { email, row, reason: proven ? "disabled" : "bad_password" });
  else await noteUnknown(ctx);
  await limit("login.failed", key);
  await limit("login.failed.account", email);
  await limit("login.failed.ip", ctx.ip);
  throw new AppError("unauthenticated", "Wrong e-mail address or password, or the account is disabled.");
}

/**
 * POST /auth/token: access and refresh token for e-mail and password.
 * @throws AppError second_factor_required, unauthenticated, rate_limited
 */
export const issueToken = operation({
  input: tokenInput,
  output: tokenOutput,
  async run(ctx, input) {
    return toTokens(await signIn(ctx, input, { via: "api" }));
  },
});
