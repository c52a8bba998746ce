import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { callersChanged } from "@/server/ground/background/streams";
import { invalid } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { requirePerson } from "@/server/identity/auth/person";
import { provenPassword, requirePassword } from "@/server/identity/auth/prove-password";
import { replacePassword } from "@/server/identity/auth/set-password";
import { passwordChanged, passwordInput } from "./schema";

/**
 * POST /me/password: changes the caller's password, with the current one as proof. Ends all other sign-ins.
 * @throws AppError validation_failed for a wrong current password, rate_limited after too many, forbidden for a
 * program, conflict for a person without a password.
 */
export const changePassword = operation({
  account: true,
  input: passwordInput,
  output: passwordChanged,
  async run(ctx, { currentPassword, newPassword }) {
    const person = requirePerson(ctx);
    const about = { orgId: ctx.homeOrgId, ...resourceOf("user", person) };
    await requirePassword(person.id);
    const former = await provenPassword(person.id, currentPassword);
    const chosen = { password: newPassword, path: "newPassword" };
    const change = { user: person, ...chosen, now: ctx.now(), exceptSession: ctx.session?.id };
    // Null if another request replaced it first.
    const endedSessions = former === null ? null : await replacePassword(former, change);
    if (endedSessions === null) {
      const errorMessage = "The current password is wrong.";
      record(ctx, { ...about, action: "user.password.change", result: "failure", errorMessage });
      throw invalid("currentPassword", "is wrong");
    }
    callersChanged();
    record(ctx, { ...about, action: "user.password.change", details: { endedSessions } });
    return { endedSessions };
  },
});
