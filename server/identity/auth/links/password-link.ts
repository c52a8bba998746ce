import { asSystem, type Tx } from "@/db/client";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { callersChanged } from "@/server/ground/background/streams";
import type { Ctx } from "@/server/ground/context";
import { env } from "@/server/ground/env";
import { AppError } from "@/server/ground/errors";
import { limit } from "@/server/ground/limits/windows";
import { log } from "@/server/ground/log";
import { findUserCaller } from "@/server/identity/auth/caller";
import { setPasswordBy } from "@/server/identity/auth/set-password";
import type { SignIn } from "@/server/identity/auth/start-session";
import {
  dropTokens,
  findUserToken,
  issueUserLink,
  type LinkKind,
  spendUserToken,
} from "@/server/identity/auth/user-tokens";

type PasswordLink = { link: string; expiresAt: Date };

/**
 * Hands out a link by which a person chooses a password; what follows # stays in the browser and out of every log. It
 * replaces their earlier ones of those kinds once it is handed out: where that fails nobody has the new one, and the
 * earlier ones are good still.
 */
export async function handOutPasswordLink(
  {
    kind,
    ...about
  }: { userId: string; kind: LinkKind; replaces: LinkKind[]; now: Date; checked?: { updatedAt: Date } },
  handOut: (made: PasswordLink) => Promise<void>,
): Promise<PasswordLink> {
  const issue = { ...about, purpose: kind };
  const { id, secret, expiresAt, replaced } = await asSystem((tx) => issueUserLink(tx, issue));
  const made = { link: new URL(`/${kind}#${secret}`, env().NEXTAUTH_URL).href, expiresAt };
  try {
    await handOut(made);
  } catch (error) {
    await asSystem((tx) => dropTokens(tx, [id]));
    throw error;
  }
  // The new link is with its holder: what fails here must not be answered as if it were not.
  await asSystem((tx) => dropTokens(tx, replaced)).catch((error: unknown) =>
    log.error(
      { err: error, userId: about.userId },
      "a person's earlier links could not be ended and are good until they expire",
    ),
  );
  return made;
}

const unusable = () =>
  new AppError("validation_failed", "This link is unknown, used or expired. Ask for a new one.", {
    errors: [{ path: "token", message: "is unknown, used or expired" }],
  });

/**
 * Spends such a link: the person who holds it gets the password and loses every earlier sign-in.
 * @throws AppError validation_failed for a token that is unknown, used or expired, or whose person is disabled;
 * rate_limited.
 */
export async function spendPasswordLink(
  ctx: Ctx,
  { kind, token, password }: { kind: LinkKind; token: string; password: string },
): Promise<SignIn["caller"]> {
  await limit("link", ctx.ip);
  const now = ctx.now();
  const given = { secret: token, purpose: kind, now };
  const found = await asSystem((tx) => findUserToken(tx, given));
  const caller = found && (await findUserCaller(found.userId));
  if (caller?.actor.type !== "user") throw unusable();
  const { actor } = caller;
  const spend = async (tx: Tx) => (await spendUserToken(tx, given)) !== null;
  const endedSessions = await setPasswordBy(spend, { userId: actor.id, password, now });
  if (endedSessions === null) throw unusable();
  callersChanged();
  record(
    { ...ctx, ...caller },
    {
      action: kind === "invite" ? "user.invite.accept" : "user.password.reset",
      orgId: caller.homeOrgId,
      ...resourceOf("user", actor),
      details: { via: "link", endedSessions },
    },
  );
  return { ...caller, actor };
}
