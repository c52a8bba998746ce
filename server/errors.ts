/** Every code of the wire contract with its status and title; a door turns an AppError into problem+json once. */
export const ERROR_CODES = {
  validation_failed: { status: 400, title: "The request is not valid" },
  unauthenticated: { status: 401, title: "Sign in first" },
  forbidden: { status: 403, title: "Not allowed" },
  not_found: { status: 404, title: "Not found" },
  method_not_allowed: { status: 405, title: "Method not allowed" },
  conflict: { status: 409, title: "Conflict" },
  device_offline: { status: 409, title: "The device is offline" },
  payload_too_large: { status: 413, title: "The body is too large" },
  unsupported_media_type: { status: 415, title: "The body is not JSON" },
  rate_limited: { status: 429, title: "Too many requests" },
  internal: { status: 500, title: "Something went wrong on our side" },
  agent_bad_response: { status: 502, title: "The agent answered in an unexpected format" },
  agent_disconnected: { status: 502, title: "The agent disconnected" },
  unavailable: { status: 503, title: "The service is temporarily unavailable" },
  agent_timeout: { status: 504, title: "The agent did not answer in time" },
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;
export type FieldError = { path: string; message: string };

/** What went wrong, in the caller's words. detail never holds SQL, a stack or another tenant's name. */
export class AppError extends Error {
  readonly brand = "trailmark.AppError";
  constructor(
    readonly code: ErrorCode,
    message: string = ERROR_CODES[code].title,
    readonly extra: { errors?: FieldError[]; headers?: Record<string, string> } = {},
  ) {
    super(message);
  }
}

/** True for an AppError of either bundle: both have the class, so instanceof would miss half of them. */
export function isAppError(error: unknown): error is AppError {
  return typeof error === "object" && error !== null && (error as { brand?: unknown }).brand === "trailmark.AppError";
}

/** The one answer for a row that is missing or belongs to somebody else. */
export const notFound = (what = "resource") => new AppError("not_found", `No such ${what}.`);

/** A validation failure of one field. */
export const invalid = (path: string, message: string) =>
  new AppError("validation_failed", `${path}: ${message}`, { errors: [{ path, message }] });
