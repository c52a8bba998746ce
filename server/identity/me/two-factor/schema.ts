import { z } from "zod";
import { displayName, guid, isoTime } from "@/server/ground/wire";
import { factorCode, passkeyResponse, password } from "@/server/identity/auth/schema";

const passkey = z.strictObject({
  id: guid,
  name: z.string(),
  createdAt: isoTime,
  lastUsedAt: isoTime.nullable(),
});

/** The caller's second factors. passkeysPossible: false where the installation is known by an address alone. */
export const twoFactor = z.strictObject({
  totp: z.boolean(),
  passkeys: z.array(passkey),
  recoveryCodesLeft: z.int(),
  required: z.boolean(),
  passkeysPossible: z.boolean(),
});

/** The secret for an authenticator app; it counts once a first code was confirmed. secret is base32. */
export const totpSecret = z.strictObject({ secret: z.string(), uri: z.string() });
export const confirmInput = z.strictObject({ code: factorCode });

/** The recovery codes, shown this once; null where there are some already. */
export const recoveryCodes = z.strictObject({ recoveryCodes: z.array(z.string()).nullable() });

/** options goes to the browser's authenticator, challenge comes back with its answer. */
export const passkeyOptions = z.strictObject({ challenge: z.string(), options: z.looseObject({}) });
const challenge = z.string().min(1).max(200);
export const addPasskeyInput = z.strictObject({ challenge, name: displayName, response: passkeyResponse });

/** The caller's ways of confirming their identity; with a passkey, the challenge for it. */
export const stepUpOptions = z.strictObject({
  methods: z.array(z.enum(["password", "totp", "passkey"])),
  challenge: z.string().nullable(),
  passkeyOptions: z.looseObject({}).nullable(),
});

/** Body of POST /me/step-up: one proof. */
export const stepUpInput = z
  .strictObject({
    password: password.optional(),
    code: factorCode.optional(),
    challenge: challenge.optional(),
    passkey: passkeyResponse.optional(),
  })
  .refine((b) => [b.password, b.code, b.passkey].filter((v) => v !== undefined).length === 1, {
    path: ["password"],
    message: "is needed, or code, or passkey; one of them",
  });
export const stepUpDone = z.strictObject({ provenUntil: isoTime });
