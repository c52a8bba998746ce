import { Secret, TOTP } from "otpauth";

/** RFC 6238 as supported by every authenticator app: SHA-1, six digits, steps of 30 s. */
const PERIOD_SECONDS = 30;
const SECRET_BYTES = 20;
/** Tolerates clock skew of one step either way. */
const WINDOW = 1;

const totpOf = (secret: string, label = "") =>
  new TOTP({ issuer: "Trailmark", label, secret: Secret.fromBase32(secret), period: PERIOD_SECONDS, digits: 6 });

/** A fresh secret, in base32. */
export const newTotpSecret = (): string => new Secret({ size: SECRET_BYTES }).base32;

/** Address of the QR code for an authenticator app. */
export const totpUri = (secret: string, email: string): string => totpOf(secret, email).toString();

/** Time step of a code at a given time; null for a wrong code. */
export function stepOf(secret: string, code: string, now: Date): number | null {
  // The library compares bytes and would throw for six characters of more bytes.
  if (!/^[0-9]{6}$/.test(code)) return null;
  const timestamp = now.getTime();
  const delta = totpOf(secret).validate({ token: code, window: WINDOW, timestamp });
  return delta === null ? null : Math.floor(timestamp / 1000 / PERIOD_SECONDS) + delta;
}
