import { asSystem, type Tx } from "@/db/client";
import { messageOf } from "@/db/thrown";
import { trackWork } from "@/server/ground/background/pending-work";
import { callersChanged } from "@/server/ground/background/streams";
import type { Ctx } from "@/server/ground/context";
import { env } from "@/server/ground/env";
import { AppError } from "@/server/ground/errors";
import { limit } from "@/server/ground/limits/windows";
import { log } from "@/server/ground/log";
import { isMailConfigured, sendMail } from "@/server/ground/mail";
import { operation } from "@/server/ground/operation";
import { inOneLine } from "@/server/ground/text";
import { findUserCaller } from "@/server/identity/auth/caller";
import { findByEmail } from "@/server/identity/auth/find-by-email";
import type { UserCaller } from "@/server/identity/auth/person";
import { recordOwn } from "@/server/identity/auth/person";
import { accepted, acceptInput, forgotInput, resetInput } from "@/server/identity/auth/schema";
import { setPassword } from "@/server/identity/auth/set-password";
import {
  dropTokens,
  findUserToken,
  issueUserLink,
  type LinkKind,
  spendUserToken,
} from "@/server/identity/auth/user-tokens";

type PasswordLink = { link: string; expiresAt: Date };

/**
 * Delivers a link to choose a password; the part after # stays in the browser and out of logs. It replaces earlier
 * links only once delivered, so that after a failure those remain valid.
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
  // The new link is delivered, so this failure must not be reported.
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
 * Redeems a password link: sets the password and ends every earlier sign-in.
 * @throws AppError validation_failed for a token that is unknown, used or expired, or whose person is disabled;
 * rate_limited.
 */
async function spendPasswordLink(
  ctx: Ctx,
  { kind, token, password }: { kind: LinkKind; token: string; password: string },
): Promise<UserCaller> {
  await limit("link", ctx.ip);
  const now = ctx.now();
  const given = { secret: token, purpose: kind, now };
  const found = await findUserToken(given);
  const caller = found && (await findUserCaller(found.userId));
  if (!caller) throw unusable();
  const { actor } = caller;
  const spend = async (tx: Tx) => (await spendUserToken(tx, given)) !== null;
  const endedSessions = await setPassword({ user: actor, password, now, spend });
  if (endedSessions === null) throw unusable();
  callersChanged();
  const action = kind === "invite" ? "user.invite.accept" : "user.password.reset";
  recordOwn({ ...ctx, ...caller }, { action, details: { via: "link", endedSessions } });
  return caller;
}

/**
 * POST /auth/invite/accept: the invited person chooses a password for signing in.
 * @throws AppError validation_failed for a bad token, rate_limited
 */
export const acceptInvite = operation({
  input: acceptInput,
  output: accepted,
  async run(ctx, { token, password }) {
    const { actor } = await spendPasswordLink(ctx, { kind: "invite", token, password });
    return { email: actor.email, name: actor.name };
  },
});

/**
 * POST /auth/password/reset: sets a new password for the holder of the link, ends the person's sessions and does not
 * sign in.
 * @throws AppError validation_failed for a bad token, rate_limited
 */
export const resetPassword = operation({
  input: resetInput,
  output: "empty",
  async run(ctx, { token, password }) {
    await spendPasswordLink(ctx, { kind: "reset", token, password });
  },
});

const textOf = ({ name, email }: { name: string; email: string }, link: string): string =>
  [
    `Hello ${inOneLine(name)},`,
    `someone, most likely you, asked to reset the password of ${email}. Choose a new one within the hour:`,
    link,
    "If it was not you, ignore this mail: nothing has changed.",
  ].join("\n\n");

async function mailLink(ctx: Ctx, email: string): Promise<void> {
  const row = await findByEmail(email);
  const caller = row && (await findUserCaller(row.id));
  if (!row || !caller) return;
  await limit("forgot.mail", row.id);
  const self = { ...ctx, ...caller };
  const action = "user.password.reset.request";
  // Anybody can request this link, so it must not replace an invitation, which is valid for longer.
  const about = { userId: row.id, kind: "reset" as const, replaces: ["reset" as const], now: ctx.now() };
  await handOutPasswordLink(about, async ({ link }) => {
    const mail = { to: row.email, subject: "Reset your Trailmark password", text: textOf(row, link) };
    await sendMail(mail).catch((error: unknown) => {
      recordOwn(self, { action, details: { sentTo: null }, result: "failure", errorMessage: messageOf(error) });
      throw error;
    });
    recordOwn(self, { action, details: { sentTo: row.email } });
  });
}

/**
 * POST /auth/password/forgot: mails a link to the person with this address. Look-up and mail come after the answer, so
 * that neither content nor timing reveals whether the address exists.
 * @throws AppError rate_limited
 */
export const forgotPassword = operation({
  input: forgotInput,
  output: "empty",
  async run(ctx, { email }) {
    await limit("forgot", ctx.ip);
    if (isMailConfigured())
      trackWork(mailLink(ctx, email).catch((error) => log.warn({ err: error }, "a password reset was not mailed")));
  },
});
