import { hash } from "node:crypto";
import { tooMany } from "./fair-share";

/** Requests of one credential that a process works on at a time: a browser has far fewer, a busy script keeps a hundred connections. */
export const MAX_IN_FLIGHT = 128;

const inFlight = new Map<string, number>();

/**
 * Counts a request by the credential that it presents, before anybody knows whose that is: who asks for hundreds of
 * things at once is refused without a look at the database. Only the whole secret counts, good or bad, so nobody uses
 * up what is another's; and what is not in flight is not remembered.
 * @returns leaves; call it once when the answer is complete or the connection gone
 * @throws AppError rate_limited when so many are in flight
 */
export function enterInFlight(credential: string): () => void {
  const key = hash("sha256", credential, "base64");
  const count = inFlight.get(key) ?? 0;
  if (count >= MAX_IN_FLIGHT)
    throw tooMany(`${MAX_IN_FLIGHT} requests of yours are being worked on already. Send fewer at a time.`);
  inFlight.set(key, count + 1);
  return () => {
    const left = (inFlight.get(key) ?? 1) - 1;
    if (left > 0) inFlight.set(key, left);
    else inFlight.delete(key);
  };
}
