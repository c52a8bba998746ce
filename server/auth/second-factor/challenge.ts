import { asSystem } from "@/db/client";
import { issueUserToken } from "@/server/auth/links/user-tokens";
import type { Method } from "@/server/auth/start-session";
import { AppError } from "@/server/errors";
import type { SecondFactors } from "./factors";
import { arePasskeysPossible, authenticationOptions } from "./passkeys";

/** What the server keeps of a challenge: the first proof that was given, and what a passkey has to sign. */
export type Kept = { first: Method; passkey: string | null };

/** The refusal that asks for the second factor of a person whose first proof was right (contract, Accounts). */
export async function secondFactorRequired({
  userId,
  factors,
  first,
  now,
}: {
  userId: string;
  factors: SecondFactors;
  first: Method;
  now: Date;
}): Promise<AppError> {
  const withPasskey = factors.passkeys.length > 0 && arePasskeysPossible();
  const passkeyOptions = withPasskey ? await authenticationOptions(factors.passkeys) : undefined;
  const kept: Kept = { first, passkey: passkeyOptions?.challenge ?? null };
  const { secret } = await asSystem((tx) =>
    issueUserToken(tx, { userId, purpose: "second_factor", now, challenge: JSON.stringify(kept) }),
  );
  const methods = [
    ...(factors.totp ? ["totp"] : []),
    ...(withPasskey ? ["passkey"] : []),
    ...(factors.recoveryCodesLeft > 0 ? ["recovery_code"] : []),
  ];
  return new AppError("second_factor_required", "Give the second factor to go on.", {
    secondFactor: { challenge: secret, methods, ...(passkeyOptions && { passkeyOptions }) },
  });
}
