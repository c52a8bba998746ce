import { requirePerson } from "@/server/auth/person";
import { secondFactorsOf } from "@/server/auth/second-factor/factors";
import { arePasskeysPossible } from "@/server/auth/second-factor/passkeys";
import { operation } from "@/server/operation";
import { noInput } from "@/server/wire";
import { isRequired } from "./required";
import { twoFactor } from "./schema";

/** GET /me/two-factor: the caller's second factors, without their secrets. */
export const getTwoFactor = operation({
  account: true,
  input: noInput,
  output: twoFactor,
  async run(ctx) {
    const { id } = requirePerson(ctx);
    const [{ totp, passkeys, recoveryCodesLeft }, required] = await Promise.all([secondFactorsOf(id), isRequired(ctx)]);
    return {
      totp,
      recoveryCodesLeft,
      required,
      passkeysPossible: arePasskeysPossible(),
      passkeys: passkeys.map(({ id, name, createdAt, lastUsedAt }) => ({
        id,
        name,
        createdAt: createdAt.toISOString(),
        lastUsedAt: lastUsedAt?.toISOString() ?? null,
      })),
    };
  },
});
