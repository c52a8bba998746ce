import { onTestFinished, TestRunner } from "vitest";
import { type Env, env } from "@/server/ground/env";
import { fromKeys, keysOf } from "@/server/ground/records";

/**
 * Changes this process's settings for tests of whole servers, until the end of the test, or of the file if called
 * outside one.
 */
export function withSettings(change: Partial<Env>): void {
  const settings = env();
  const before = fromKeys(keysOf(change), (name) => settings[name]);
  Object.assign(settings, change);
  if (TestRunner.getCurrentTest()) onTestFinished(() => void Object.assign(settings, before));
}
