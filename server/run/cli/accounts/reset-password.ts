import { z } from "zod";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { relay, stopRelay } from "@/server/devices/live/relay";
import { systemCtx } from "@/server/ground/context";
import { AppError } from "@/server/ground/errors";
import { findByEmail } from "@/server/identity/auth/find-by-email";
import { forgetIdentities } from "@/server/identity/auth/oidc/forget-identities";
import { newPassword } from "@/server/identity/auth/schema";
import { removeSecondFactors } from "@/server/identity/auth/second-factor/factors";
import { setPassword } from "@/server/identity/auth/set-password";
import { type Command, readArgs, readStdin, required, say } from "@/server/run/cli/command";
import { onPlatform } from "@/server/run/cli/platform";

const passwordSchema = z.strictObject({ password: newPassword });

/** For an operator who has lost the last way in: a new password, which ends every sign-in of that person. */
export const resetPassword: Command = {
  usage: "--email EMAIL --password-stdin [--remove-two-factor]",
  summary: "give a person a new password, read from standard input; ends their sessions",
  async run(args) {
    const { values } = readArgs(args, {
      email: { type: "string" },
      "password-stdin": { type: "boolean" },
      "remove-two-factor": { type: "boolean" },
    });
    const email = required(values.email, "--email").trim().toLowerCase();
    const given = values["password-stdin"] ? await readStdin() : undefined;
    const { password } = passwordSchema.parse({ password: required(given, "--password-stdin") });
    await onPlatform(async () => {
      const row = await findByEmail(email);
      if (!row) throw new AppError("not_found", `There is no user ${email}.`);
      const ctx = systemCtx();
      const endedSessions = await setPassword({ userId: row.id, password, now: ctx.now() });
      const unlinkedIdentities = await forgetIdentities(row.id);
      const removeTwoFactor = values["remove-two-factor"] ?? false;
      if (removeTwoFactor) await removeSecondFactors(row.id);
      record(ctx, {
        action: "user.password.reset",
        orgId: row.orgId ?? row.homeOrgId,
        ...resourceOf("user", row),
        details: { via: "command line", endedSessions, unlinkedIdentities, removeTwoFactor },
      });
      // What running servers hold open for them ends now.
      relay().notifyCallersChanged();
      await stopRelay();
      const ended = endedSessions === 1 ? "1 session" : `${endedSessions} sessions`;
      say(`${email} has a new password; ${ended} ended.${row.disabledAt ? " The account is disabled." : ""}`);
    });
    return 0;
  },
};
