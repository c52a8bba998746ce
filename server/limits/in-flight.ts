import { hash } from "node:crypto";
import type { AppError } from "@/server/errors";
import { tooMany } from "./fair-share";

/** Requests of one credential that a process works on at a time: a browser has far fewer, a busy script keeps a hundred connections. */
export const MAX_IN_FLIGHT = 128;

const inFlight = new Map<string, number>();

/**
 * Counts requests by the credential that they present, before anybody knows whose that is: who asks for hundreds of
 * things at once is refused without a look at the database. Only the whole secret counts, good or bad, so nobody uses
 * up what is another's; and what is not in flight is not remembered.
 * @param calls how much came in one request
 * @returns leaves; call it once when the answer is complete or the connection gone. Or the refusal: too much is in flight
 */
export function enterInFlight(credential: string, calls: number): (() => void) | AppError {
  const key = hash("sha256", credential, "base64");
  const count = inFlight.get(key) ?? 0;
  if (count + calls > MAX_IN_FLIGHT)
    return tooMany(`${count} requests of yours are being worked on already. Send fewer at a time.`);
  inFlight.set(key, count + calls);
  return () => {
    const left = (inFlight.get(key) ?? calls) - calls;
    if (left > 0) inFlight.set(key, left);
    else inFlight.delete(key);
  };
}
