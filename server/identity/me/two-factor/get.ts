import { operation } from "@/server/ground/operation";
import { noInput } from "@/server/ground/wire";
import { requirePerson } from "@/server/identity/auth/person";
import { secondFactorsOf } from "@/server/identity/auth/second-factor/factors";
import { arePasskeysPossible } from "@/server/identity/auth/second-factor/passkeys";
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
