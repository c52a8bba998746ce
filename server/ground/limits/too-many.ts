import { AppError } from "@/server/ground/errors";

/** Seconds after which a caller with too much at once may ask again: most of it has ended by then. */
export const BUSY_SECONDS = 5;

/** How much a caller may do or have at once, and the seconds after which it is worth asking again. */
type Limit = { limit: number; seconds: number };

/** The refusal of a caller that asks for too much, with Retry-After and RateLimit-* (contract, "Errors"). */
export const tooMany = (message: string, { limit, seconds }: Limit): AppError =>
  new AppError("rate_limited", message, {
    headers: {
      "Retry-After": String(seconds),
      "RateLimit-Limit": String(limit),
      "RateLimit-Remaining": "0",
      "RateLimit-Reset": String(seconds),
    },
  });
