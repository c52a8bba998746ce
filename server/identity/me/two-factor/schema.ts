import { z } from "zod";
import { displayName, guid, isoTime } from "@/server/ground/wire";
import { factorCode, passkeyResponse, password } from "@/server/identity/auth/schema";

const passkey = z.strictObject({
  id: guid,
  name: z.string(),
  createdAt: isoTime,
  lastUsedAt: isoTime.nullable(),
});

/** The caller's second factors. passkeysPossible: false if the installation only has an IP address. */
export const twoFactor = z.strictObject({
  totp: z.boolean(),
  passkeys: z.array(passkey),
  recoveryCodesLeft: z.int(),
  required: z.boolean(),
  passkeysPossible: z.boolean(),
});

/** Secret for an authenticator app; counts once a first code is confirmed. secret is base32. */
export const totpSecret = z.strictObject({ secret: z.string(), uri: z.string() });
export const confirmInput = z.strictObject({ code: factorCode });

/** Recovery codes, shown only once; null if they exist already. */
export const recoveryCodes = z.strictObject({ recoveryCodes: z.array(z.string()).nullable() });

/** options is for the browser's authenticator; challenge must accompany its answer. */
export const passkeyOptions = z.strictObject({ challenge: z.string(), options: z.looseObject({}) });
const challenge = z.string().min(1).max(200);
export const addPasskeyInput = z.strictObject({ challenge, name: displayName, response: passkeyResponse });

/** The caller's ways to confirm their identity; with a passkey, its challenge. */
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
