import type { TRPC_ERROR_CODE_KEY } from "@trpc/server";
import { type ZodError, z } from "zod";

/** Every error code of the wire contract with HTTP status, tRPC code and title. */
export const ERROR_CODES = {
  validation_failed: { status: 400, trpc: "BAD_REQUEST", title: "The request is not valid" },
  validation_error: { status: 400, trpc: "BAD_REQUEST", title: "The query has an unknown parameter" },
  second_factor_required: { status: 401, trpc: "UNAUTHORIZED", title: "A second factor is needed" },
  unauthenticated: { status: 401, trpc: "UNAUTHORIZED", title: "Sign in first" },
  step_up_required: { status: 403, trpc: "FORBIDDEN", title: "Confirm that it is you" },
  forbidden: { status: 403, trpc: "FORBIDDEN", title: "Not allowed" },
  not_found: { status: 404, trpc: "NOT_FOUND", title: "Not found" },
  method_not_allowed: { status: 405, trpc: "METHOD_NOT_SUPPORTED", title: "Method not allowed" },
  conflict: { status: 409, trpc: "CONFLICT", title: "Conflict" },
  alarm_open: { status: 409, trpc: "CONFLICT", title: "An alarm is open on the log" },
  id_conflict: { status: 409, trpc: "CONFLICT", title: "The id is in use for another entry" },
  device_offline: { status: 409, trpc: "CONFLICT", title: "The device is offline" },
  precondition_failed: {
    status: 412,
    trpc: "PRECONDITION_FAILED",
    title: "It has changed since: read it again before you change it",
  },
  payload_too_large: { status: 413, trpc: "PAYLOAD_TOO_LARGE", title: "The body is too large" },
  range_not_satisfiable: { status: 416, trpc: "PRECONDITION_FAILED", title: "The range lies past the end of the file" },
  idempotency_mismatch: {
    status: 422,
    trpc: "UNPROCESSABLE_CONTENT",
    title: "The Idempotency-Key was used for another request",
  },
  invalid_answer: { status: 422, trpc: "UNPROCESSABLE_CONTENT", title: "The answer does not have the expected format" },
  unsupported_media_type: { status: 415, trpc: "UNSUPPORTED_MEDIA_TYPE", title: "The body is not JSON" },
  rate_limited: { status: 429, trpc: "TOO_MANY_REQUESTS", title: "Too many requests" },
  internal: { status: 500, trpc: "INTERNAL_SERVER_ERROR", title: "Something went wrong on our side" },
  agent_bad_response: { status: 502, trpc: "BAD_GATEWAY", title: "The agent answered in an unexpected format" },
  agent_disconnected: { status: 502, trpc: "BAD_GATEWAY", title: "The agent disconnected" },
  unavailable: { status: 503, trpc: "SERVICE_UNAVAILABLE", title: "The service is temporarily unavailable" },
  agent_timeout: { status: 504, trpc: "GATEWAY_TIMEOUT", title: "The agent did not answer in time" },
} as const satisfies Record<string, { status: number; trpc: TRPC_ERROR_CODE_KEY; title: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;
export type FieldError = { path: string; message: string };

/** Continuation of a sign-in: the challenge and the methods to answer it. passkeyOptions are for WebAuthn. */
export type SecondFactor = { challenge: string; methods: string[]; passkeyOptions?: object };

/** A failure in the caller's terms. detail never contains SQL, a stack or another tenant's name. */
export class AppError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string = ERROR_CODES[code].title,
    readonly extra: { errors?: FieldError[]; headers?: Record<string, string>; secondFactor?: SecondFactor } = {},
  ) {
    super(message);
  }
}

const MAX_FIELD_ERRORS = 50;
/** Characters of a field's name repeated in an answer. */
const MAX_PATH = 300;

const TYPES: Record<string, string> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};
const FORMATS: Record<string, string> = {
  email: "an e-mail address",
  guid: "a UUID",
  uuid: "a UUID",
  url: "a web address",
  datetime: "an ISO 8601 time",
};
/** Units of lists and texts with a wrong length. */
const UNITS: Record<string, string> = { string: "characters", array: "items" };

const NOT_VALID = "is not valid";
const mustBe = (forms: readonly string[]) => `must be ${[...new Set(forms)].join(" or ")}`;
const typeOf = (expected: string): string => TYPES[expected] ?? expected;

function sizeWords(issue: z.core.$ZodRawIssue<z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall>): string {
  const unit = UNITS[issue.origin];
  const isTooBig = issue.code === "too_big";
  const bound = isTooBig ? issue.maximum : issue.minimum;
  if (unit && !isTooBig && bound === 1) return "is empty";
  if (unit && issue.exact) return `must have exactly ${bound} ${unit}`;
  if (unit) return isTooBig ? `has more than ${bound} ${unit}` : `must have at least ${bound} ${unit}`;
  if (issue.inclusive) return `must be at ${isTooBig ? "most" : "least"} ${bound}`;
  return `must be ${isTooBig ? "less" : "greater"} than ${bound}`;
}

/** Messages that follow a field's name, for checks without their own: zod's are for developers. */
const plainWords: z.core.$ZodErrorMap = (issue) => {
  if (issue.input === undefined && issue.code.startsWith("invalid_")) return "is missing";
  switch (issue.code) {
    case "invalid_type":
      return mustBe([typeOf(issue.expected)]) + (Array.isArray(issue.input) ? ", not a list" : "");
    case "invalid_value":
      return `must be ${issue.values.length > 1 ? "one of " : ""}${issue.values.join(", ")}`;
    case "too_big":
    case "too_small":
      return sizeWords(issue);
    case "invalid_format":
      return `is not ${FORMATS[issue.format] ?? "of the right form"}`;
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "unrecognized_keys":
      return `has members that are not known: ${issue.keys.join(", ")}`;
    case "invalid_union":
      return "options" in issue && Array.isArray(issue.options)
        ? `must be one of ${issue.options.join(", ")}`
        : NOT_VALID;
    default:
      return NOT_VALID;
  }
};

// Applies to every schema of the process; a schema's own messages win.
z.config({ customError: plainWords });

type Issue = ZodError["issues"][number];

/**
 * Faults of a union: the schema's own message, else the rules of the branch with the value's type, else that no type
 * fits.
 */
function withoutUnions(issue: Issue): Issue[] {
  if (issue.code !== "invalid_union" || issue.message !== NOT_VALID) return [issue];
  const mistyped = issue.errors.map((form) =>
    form.find(({ code, path }) => code === "invalid_type" && path.length === 0),
  );
  const form = issue.errors.find((_, i) => !mistyped[i]);
  if (form) return form.flatMap((inner) => withoutUnions({ ...inner, path: [...issue.path, ...inner.path] }));
  const types = mistyped.flatMap((found) => (found?.code === "invalid_type" ? [typeOf(found.expected)] : []));
  return [{ ...issue, message: types.length > 0 ? mustBe(types) : NOT_VALID }];
}

/** Every offending field by name: unknown members by their own, the whole input as "body". */
const toFieldErrors = (error: ZodError): FieldError[] =>
  error.issues
    .flatMap(withoutUnions)
    .flatMap((issue): FieldError[] =>
      issue.code === "unrecognized_keys"
        ? issue.keys.map((key) => ({ path: [...issue.path, key].join("."), message: "is not a known field" }))
        : [{ path: issue.path.join("."), message: issue.message }],
    )
    .slice(0, MAX_FIELD_ERRORS)
    .map(({ path, message }) => ({ path: path.slice(0, MAX_PATH) || "body", message }));

/** A failed validation as a contract error; its detail names the first field. */
export function invalidInput(error: ZodError): AppError {
  const errors = toFieldErrors(error);
  const first = errors[0];
  return new AppError("validation_failed", first && `${first.path}: ${first.message}`, { errors });
}

/** Reason for aborting work after a disconnect: nobody reads it, and nothing is at fault. */
export const hungUp = () => new AppError("unavailable", "The caller hung up.");

/** For an agent whose token is unknown or no longer valid. */
export const unknownToken = (): AppError => new AppError("unauthenticated", "The agent token is unknown or revoked.");

/** The same answer for a missing row and another tenant's. */
export const notFound = (what = "resource") => new AppError("not_found", `No such ${what}.`);

/** A validation failure of one field. */
export const invalid = (path: string, message: string) =>
  new AppError("validation_failed", `${path}: ${message}`, { errors: [{ path, message }] });

/** Limit of a caller, the remainder, and the seconds until it grows. */
export type Limit = { limit: number; remaining: number; seconds: number };

/** Rate limit headers of an answer (contract, "Errors"). */
export const limitHeaders = ({ limit, remaining, seconds }: Limit): Record<string, string> => ({
  "RateLimit-Limit": String(limit),
  "RateLimit-Remaining": String(remaining),
  "RateLimit-Reset": String(seconds),
});

/** Refusal of a caller over its limit, with Retry-After and RateLimit-*. */
export const tooMany = (message: string, { limit, seconds }: Omit<Limit, "remaining">): AppError =>
  new AppError("rate_limited", message, {
    headers: { "Retry-After": String(seconds), ...limitHeaders({ limit, remaining: 0, seconds }) },
  });
