import { hash } from "node:crypto";
import type { AppError } from "@/server/ground/errors";
import { Holdings } from "./holdings";
import { BUSY_SECONDS, tooMany } from "./too-many";

/** Requests of one credential that a process works on at a time: a browser has far fewer, a busy script keeps a hundred connections. */
export const MAX_IN_FLIGHT = 128;

const inFlight = new Holdings();

/**
 * Counts requests by the credential that they present, before it is known whose that is: a caller with hundreds of
 * requests at once is refused without a database query. Only the whole secret counts, valid or not, so no caller uses
 * up another's share; and what is not in flight is not remembered.
 * @param calls how many calls one request carries
 * @returns releases them: call it when the answer is complete or the connection closed. Or the refusal: too much is in flight
 */
export function enterInFlight(credential: string, calls: number): (() => void) | AppError {
  const key = hash("sha256", credential, "base64");
  const count = inFlight.of(key);
  if (count + calls > MAX_IN_FLIGHT) {
    const message = `${count} requests of yours are being worked on already. Send fewer at a time.`;
    return tooMany(message, { limit: MAX_IN_FLIGHT, seconds: BUSY_SECONDS });
  }
  return inFlight.hold(key, calls);
}
