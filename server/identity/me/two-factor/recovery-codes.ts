import { asSystem } from "@/db/client";
import { AppError } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { requireRecentProof } from "@/server/ground/recent-proof";
import { noInput } from "@/server/ground/wire";
import { requirePerson } from "@/server/identity/auth/person";
import { secondFactorsIn } from "@/server/identity/auth/second-factor/factors";
import { replaceRecoveryCodes } from "@/server/identity/auth/second-factor/recovery-codes";
import { lockSignIns } from "@/server/identity/auth/sessions";
import { recordFactor } from "./changed";
import { recoveryCodes } from "./schema";

/**
 * POST /me/two-factor/recovery-codes: ten fresh codes instead of those there were.
 * @throws AppError conflict without a second factor, step_up_required
 */
export const renewRecoveryCodes = operation({
  account: true,
  input: noInput,
  output: recoveryCodes,
  async run(ctx) {
    const person = requirePerson(ctx);
    requireRecentProof(ctx, "session");
    const codes = await asSystem(async (tx) => {
      await lockSignIns(tx, person.id);
      if (!(await secondFactorsIn(tx, person.id)).isOn)
        throw new AppError("conflict", "Recovery codes go with a second factor; set one up first.");
      return replaceRecoveryCodes(tx, person.id, ctx.now());
    });
    recordFactor(ctx, person, { action: "user.recovery_codes.create" });
    return { recoveryCodes: codes };
  },
});
