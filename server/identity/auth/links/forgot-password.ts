import { messageOf } from "@/db/thrown";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { unawaited } from "@/server/ground/background/unawaited";
import type { Ctx } from "@/server/ground/context";
import { limit } from "@/server/ground/limits/windows";
import { log } from "@/server/ground/log";
import { isMailConfigured, sendMail } from "@/server/ground/mail";
import { operation } from "@/server/ground/operation";
import { inOneLine } from "@/server/ground/text";
import { findUserCaller } from "@/server/identity/auth/caller";
import { findByEmail } from "@/server/identity/auth/find-by-email";
import { forgotInput } from "@/server/identity/auth/schema";
import { handOutPasswordLink } from "./password-link";

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
  const event = {
    action: "user.password.reset.request" as const,
    orgId: caller.homeOrgId,
    ...resourceOf("user", row),
  };
  // Anybody can ask for this one, so it must not end an invitation, which is good for longer.
  const about = { userId: row.id, kind: "reset" as const, replaces: ["reset" as const], now: ctx.now() };
  await handOutPasswordLink(about, async ({ link }) => {
    const mail = { to: row.email, subject: "Reset your Trailmark password", text: textOf(row, link) };
    await sendMail(mail).catch((error: unknown) => {
      record(self, { ...event, details: { sentTo: null }, result: "failure", errorMessage: messageOf(error) });
      throw error;
    });
    record(self, { ...event, details: { sentTo: row.email } });
  });
}

/**
 * POST /auth/password/forgot: mails a link to the person with this address. The answer and the time it takes are the
 * same whether there is one or not, so the look-up and the mail come after it.
 * @throws AppError rate_limited
 */
export const forgotPassword = operation({
  input: forgotInput,
  output: "empty",
  async run(ctx, { email }) {
    await limit("forgot", ctx.ip);
    if (isMailConfigured())
      unawaited(mailLink(ctx, email).catch((error) => log.warn({ err: error }, "a password reset was not mailed")));
  },
});
