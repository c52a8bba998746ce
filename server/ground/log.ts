import pino from "pino";
import { withoutValues } from "@/db/thrown";
import { readableStack } from "./readable-stack";

/** Paths of secrets, removed from every log record. */
const REDACTED = ["password", "token", "key", "secret", "authorization", "cookie", "refreshToken", "accessToken"];

/** The environment check reports a wrong level; here it must not end the process earlier. */
const isLevel = (name: string | undefined): name is string =>
  name !== undefined && (name === "silent" || Object.hasOwn(pino.levels.values, name));

export const log = pino({
  name: "trailmark",
  level: isLevel(process.env.LOG_LEVEL) ? process.env.LOG_LEVEL : process.env.NODE_ENV === "test" ? "silent" : "info",
  base: undefined,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (level) => ({ level }) },
  serializers: {
    err(error: unknown) {
      if (!(error instanceof Error)) return error;
      // PostgreSQL's message details quote rows or values.
      const { params: _, detail: __, where: ___, ...serialized } = pino.stdSerializers.err(error);
      const [message, stack] = [withoutValues(error, serialized.message), withoutValues(error, serialized.stack)];
      return { ...serialized, message, stack: readableStack(stack) };
    },
  },
  redact: { paths: REDACTED.flatMap((k) => [k, `*.${k}`]), censor: "[redacted]" },
});
