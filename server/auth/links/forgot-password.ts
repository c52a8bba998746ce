import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { findUserCaller } from "@/server/auth/caller";
import { findByEmail } from "@/server/auth/find-by-email";
import { limit } from "@/server/auth/limits/rate-limit";
import { forgotInput } from "@/server/auth/schema";
import type { Ctx } from "@/server/context";
import { log } from "@/server/log/log";
import { isMailConfigured, sendMail } from "@/server/mail";
import { operation } from "@/server/operation";
import { inOneLine } from "@/server/text";
import { createPasswordLink } from "./password-link";

async function mailLink(ctx: Ctx, email: string): Promise<void> {
  const row = await findByEmail(email);
  const caller = row && (await findUserCaller(row.id));
  if (!row || !caller) return;
  await limit("forgot.mail", row.id);
  record(
    { ...ctx, ...caller },
    {
      action: "user.password.reset.request",
      orgId: caller.homeOrgId,
      ...resourceOf("user", row),
      details: { sentTo: row.email },
    },
  );
  const { link } = await createPasswordLink(row.id, "reset", ctx.now());
  await sendMail({
    to: row.email,
    subject: "Reset your Trailmark password",
    text: [
      `Hello ${inOneLine(row.name)},`,
      `someone, most likely you, asked to reset the password of ${row.email}. Choose a new one within the hour:`,
      link,
      "If it was not you, ignore this mail: nothing has changed.",
    ].join("\n\n"),
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
      void mailLink(ctx, email).catch((error) => log.warn({ err: error }, "a password reset was not mailed"));
  },
});
