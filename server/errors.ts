import type { TRPC_ERROR_CODE_KEY } from "@trpc/server";
import type { ZodError } from "zod";

/** Every error code of the wire contract: its HTTP status, its tRPC code and its title. */
export const ERROR_CODES = {
  validation_failed: { status: 400, trpc: "BAD_REQUEST", title: "The request is not valid" },
  second_factor_required: { status: 401, trpc: "UNAUTHORIZED", title: "A second factor is needed" },
  unauthenticated: { status: 401, trpc: "UNAUTHORIZED", title: "Sign in first" },
  step_up_required: { status: 403, trpc: "FORBIDDEN", title: "Confirm that it is you" },
  forbidden: { status: 403, trpc: "FORBIDDEN", title: "Not allowed" },
  not_found: { status: 404, trpc: "NOT_FOUND", title: "Not found" },
  method_not_allowed: { status: 405, trpc: "METHOD_NOT_SUPPORTED", title: "Method not allowed" },
  conflict: { status: 409, trpc: "CONFLICT", title: "Conflict" },
  device_offline: { status: 409, trpc: "CONFLICT", title: "The device is offline" },
  payload_too_large: { status: 413, trpc: "PAYLOAD_TOO_LARGE", title: "The body is too large" },
  range_not_satisfiable: { status: 416, trpc: "PRECONDITION_FAILED", title: "The range lies past the end of the file" },
  idempotency_mismatch: {
    status: 422,
    trpc: "UNPROCESSABLE_CONTENT",
    title: "The Idempotency-Key was used for another request",
  },
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

/** How a sign-in continues: answer the challenge by one of the methods. passkeyOptions is what WebAuthn asks for. */
export type SecondFactor = { challenge: string; methods: string[]; passkeyOptions?: object };

/** What went wrong, in the caller's words. detail never holds SQL, a stack or another tenant's name. */
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
/** Characters of a field's name that an answer repeats. */
const MAX_PATH = 300;

type Issue = ZodError["issues"][number];

/** What a value of several possible forms breaks: the rules of the form whose type it has, else those of the last. */
function withoutUnions(issue: Issue): Issue[] {
  if (issue.code !== "invalid_union") return [issue];
  const isOfType = (form: Issue[]) => form.every(({ code, path }) => code !== "invalid_type" || path.length > 0);
  const form = issue.errors.find(isOfType) ?? issue.errors.at(-1);
  return form ? form.flatMap((inner) => withoutUnions({ ...inner, path: [...issue.path, ...inner.path] })) : [issue];
}

/** Every offending field by name: an unknown member under its own, the input as a whole as "body". */
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

/** A failed validation as the one error of the contract, its detail naming the first field. */
export function invalidInput(error: ZodError): AppError {
  const errors = toFieldErrors(error);
  const first = errors[0];
  return new AppError("validation_failed", first && `${first.path}: ${first.message}`, { errors });
}

/** Why work ends whose caller has gone: nobody reads the answer, and nothing is at fault. */
export const hungUp = () => new AppError("unavailable", "The caller hung up.");

/** The one answer for a row that is missing or belongs to somebody else. */
export const notFound = (what = "resource") => new AppError("not_found", `No such ${what}.`);

/** A validation failure of one field. */
export const invalid = (path: string, message: string) =>
  new AppError("validation_failed", `${path}: ${message}`, { errors: [{ path, message }] });
