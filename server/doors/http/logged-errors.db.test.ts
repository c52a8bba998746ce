import { sql } from "drizzle-orm";
import pino from "pino";
import { expect, it } from "vitest";
import { appSql, asSystem } from "@/db/client";
import { messageOf, stackOf } from "@/db/thrown";
import { log } from "@/server/ground/log";

/** As the log writes an error. */
const logged = (error: unknown): string => {
  const serializers = (log as unknown as Record<symbol, Record<string, (value: unknown) => unknown>>)[
    pino.symbols.serializersSym
  ];
  return JSON.stringify(serializers?.err?.(error));
};
const thrown = (work: Promise<unknown>) => work.catch((error: unknown) => error);

it("logs a failed statement with its text and cause, but not its values", async () => {
  const secret = "s3cret $& \n    at nowhere";
  const failing = sql`SELECT ${secret}::text, ${"\0"}::text, 'its text'`;
  const wrapped = await thrown(asSystem((tx) => tx.execute(failing)));
  const bare = await thrown(appSql()`SELECT jsonb_build_object(${secret}::text, 1) || ${`{"s3cret": `}::text::jsonb`);
  for (const line of [logged(wrapped), stackOf(wrapped), logged(new Error("outer", { cause: wrapped }))]) {
    expect(line).toContain("its text");
    expect(line).not.toContain("s3cret");
  }
  expect(logged(wrapped)).toContain("invalid byte sequence");
  expect(messageOf(wrapped)).not.toContain("s3cret");
  expect(bare).toBeInstanceOf(Error);
  expect(logged(bare)).not.toContain("s3cret");
});
