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

/** SQLSTATE of a statement that took longer than its role may, or waited so long for a lock. */
const TOOK_TOO_LONG = "57014";
const RETRY = { headers: { "Retry-After": "2" } };

/** Any thrown thing as one of the contract's errors; what was not foreseen is logged and becomes a bare `internal`. */
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

/** The RFC 9457 body of an error. */
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

/** An error as the REST door answers it, with headers that it does not have itself. */
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

/** Answers a request, or with the error that is thrown; either way with its id and the limit that it came nearest to. */
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

/** The same for handlers that Next or tRPC serve. */
export const problemResponse = (error: unknown, requestId: string): Response =>
  toResponse(problemAnswer(error, requestId));
