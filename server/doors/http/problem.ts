import { isDatabaseAway } from "@/db/away";
import { causeOf, codeOf } from "@/db/thrown";
import { nameRequest } from "@/db/traced";
import { AppError, ERROR_CODES, type ErrorCode, type FieldError, type SecondFactor } from "@/server/ground/errors";
import { withLimitsMet } from "@/server/ground/limits/met";
import { log } from "@/server/ground/log";
import { type Answer, setHeaders, toResponse } from "./answer";

export type Problem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ErrorCode;
  requestId: string;
  errors?: FieldError[];
} & Partial<SecondFactor>;

/** SQLSTATE of a statement that exceeded its role's time, also while waiting for a lock. */
const TOOK_TOO_LONG = "57014";
const RETRY = { headers: { "Retry-After": "2" } };

/** Converts any error to one of the contract's; unexpected ones are logged and become a bare `internal`. */
export function toAppError(error: unknown, requestId: string): AppError {
  if (error instanceof AppError) return error;
  if (isDatabaseAway(error)) {
    log.warn({ requestId, err: error }, "database unreachable");
    return new AppError("unavailable", "The database cannot be reached right now.", RETRY);
  }
  if ([error, causeOf(error)].some((thrown) => codeOf(thrown) === TOOK_TOO_LONG)) {
    log.error({ requestId, err: error }, "a statement took too long");
    return new AppError("unavailable", "The database did not answer in time.", RETRY);
  }
  log.error({ requestId, err: error }, "unexpected error");
  return new AppError("internal", "Something went wrong on our side; nothing was stored.");
}

/** RFC 9457 body of an error. */
export function toProblem(error: AppError, requestId: string): Problem {
  const { status, title } = ERROR_CODES[error.code];
  return {
    type: `urn:trailmark:error:${error.code}`,
    title,
    status,
    detail: error.message,
    code: error.code,
    requestId,
    ...(error.extra.errors ? { errors: error.extra.errors } : {}),
    ...error.extra.secondFactor,
  };
}

/** An error as REST answer, with additional headers. */
export function problemAnswer(error: unknown, requestId: string, headers: Record<string, string> = {}): Answer {
  const known = toAppError(error, requestId);
  return {
    status: ERROR_CODES[known.code].status,
    headers: {
      "Content-Type": "application/problem+json",
      "Cache-Control": "no-store",
      "X-Request-Id": requestId,
      ...headers,
      ...known.extra.headers,
      ...(ERROR_CODES[known.code].status === 401 ? { "WWW-Authenticate": "Bearer" } : {}),
    },
    body: JSON.stringify(toProblem(known, requestId)),
  };
}

/** Answers a request or the thrown error, with the request id and the nearest limit. */
export const answered = (give: (requestId: string) => Promise<Answer | Response>): Promise<Answer | Response> =>
  withLimitsMet(async (limitHeaders) => {
    const requestId = nameRequest(crypto.randomUUID());
    try {
      const given = await give(requestId);
      setHeaders(given, { "X-Request-Id": requestId, ...limitHeaders() });
      return given;
    } catch (error) {
      return problemAnswer(error, requestId, limitHeaders());
    }
  });

/** Error answer for handlers served by Next or tRPC. */
export const problemResponse = (error: unknown, requestId: string): Response =>
  toResponse(problemAnswer(error, requestId));
