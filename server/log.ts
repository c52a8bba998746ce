import pino from "pino";
import { shared } from "./process/shared";

/** Secrets never reach the log: these paths are removed wherever a record carries them. */
const REDACTED = ["password", "token", "key", "secret", "authorization", "cookie", "refreshToken", "accessToken"];

export const log = shared("log", () =>
  pino({
    name: "trailmark",
    level: process.env.LOG_LEVEL ?? (process.env.NODE_ENV === "test" ? "silent" : "info"),
    base: undefined,
    redact: { paths: REDACTED.flatMap((k) => [k, `*.${k}`]), censor: "[redacted]" },
  }),
);
