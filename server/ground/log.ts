import pino from "pino";
import { withoutValues } from "@/db/thrown";
import { readableStack } from "./readable-stack";

/** Secrets never reach the log: these paths are removed wherever a record carries them. */
const REDACTED = ["password", "token", "key", "secret", "authorization", "cookie", "refreshToken", "accessToken"];

/** A wrong level is reported by the environment check; here it must not end the process before that. */
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
      // PostgreSQL's additions to its message quote the row or the value.
      const { params: _, detail: __, where: ___, ...serialized } = pino.stdSerializers.err(error);
      const [message, stack] = [withoutValues(error, serialized.message), withoutValues(error, serialized.stack)];
      return { ...serialized, message, stack: readableStack(stack) };
    },
  },
  redact: { paths: REDACTED.flatMap((k) => [k, `*.${k}`]), censor: "[redacted]" },
});
