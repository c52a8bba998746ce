import { z } from "zod";

export const MIN_PASSWORD_LENGTH = 12;
const MAX_PASSWORD_LENGTH = 200;

/** Compared case-insensitively, so stored in lowercase. */
export const email = z.string().trim().toLowerCase().max(255).pipe(z.email());
/** A new password. The doors replace NUL, which nobody can type, with U+FFFD. */
export const newPassword = z
  .string()
  .min(MIN_PASSWORD_LENGTH, `must have at least ${MIN_PASSWORD_LENGTH} characters`)
  .max(MAX_PASSWORD_LENGTH)
  .refine((text) => !/[\0\ufffd]/.test(text), "must not contain NUL");

/** An existing password to check. */
export const password = z.string().min(1).max(MAX_PASSWORD_LENGTH);

/** Body of POST /auth/token. */
export const tokenInput = z.strictObject({ email, password });
export type TokenInput = z.output<typeof tokenInput>;

/** A code of an authenticator app, or a recovery code. */
export const factorCode = z.string().trim().min(1).max(64);
/** Answer of a browser's authenticator (WebAuthn), parsed by the library that created the options. */
export const passkeyResponse = z.looseObject({
  id: z
    .string()
    .max(2000)
    .regex(/^[\w-]+$/, "must be base64url"),
});

/** Body of POST /auth/token/second-factor: the challenge, and the answer to it. */
export const secondFactorInput = z
  .strictObject({
    challenge: z.string().min(1).max(200),
    code: factorCode.optional(),
    passkey: passkeyResponse.optional(),
  })
  .refine(({ code, passkey }) => (code === undefined) !== (passkey === undefined), {
    path: ["code"],
    message: "is needed, or passkey; not both",
  });
export type SecondFactorInput = z.output<typeof secondFactorInput>;

/** A challenge of a sign-in's first step, and the possible answers. */
export const challengeInput = z.strictObject({ challenge: z.string().min(1).max(200) });
export const challengeOptions = z.strictObject({
  methods: z.array(z.string()),
  passkeyOptions: z.looseObject({ challenge: z.string() }).nullable(),
});

/** Body of POST /auth/refresh. */
export const refreshInput = z.strictObject({ refreshToken: z.string().min(1).max(4096) });

/** Body of POST /auth/logout: ends the sign-in of that refresh token, or all of the caller's without one. */
export const logoutInput = z.strictObject({ refreshToken: z.string().min(1).max(4096).optional() });

/** expiresIn is the access token's life in seconds. */
export const tokenOutput = z.strictObject({
  accessToken: z.string(),
  tokenType: z.literal("Bearer"),
  expiresIn: z.int(),
  refreshToken: z.string(),
});
export type TokenOutput = z.output<typeof tokenOutput>;

/** A secret from a link. */
const linkToken = z.string().min(1).max(200);

/** Body of POST /auth/invite/accept: the invited person chooses a password. */
export const acceptInput = z.strictObject({ token: linkToken, password: newPassword });
/** The invited person, who signs in next. */
export const accepted = z.strictObject({ email: z.string(), name: z.string() });

/** Body of POST /auth/password/forgot. */
export const forgotInput = z.strictObject({ email });

/** Body of POST /auth/password/reset. */
export const resetInput = z.strictObject({ token: linkToken, password: newPassword });

/** Choices of the sign-in page. mail: password reset by mail is available; oidc: the provider's name. */
export type SignInOptions = { mail: boolean; oidc: string | null };
