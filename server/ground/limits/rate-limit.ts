import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { networkOf } from "@/server/ground/client-ip";
import { env } from "@/server/ground/env";
import type { AppError } from "@/server/ground/errors";
import { countShared, readShared } from "./shared";
import { tooMany } from "./too-many";

/** shared: counted for all processes; else in this one alone. */
type Rule = { points: number; seconds: number; shared?: true };

/**
 * How often something may be tried per key in a window. Requests count under "token", "refresh", "enroll", "agent",
 * "download", "setup", "link", "forgot" and "delivery"; only failures count under "*.failed", so that no user with the right password is ever locked out by use.
 */
const RULES = {
  token: { points: 300, seconds: 60 },
  refresh: { points: 300, seconds: 60 },
  enroll: { points: 600, seconds: 60 },
  "proof-link": { points: 60, seconds: 60 },
  download: { points: 600, seconds: 60 },
  setup: { points: 20, seconds: 60 },
  link: { points: 30, seconds: 60 },
  forgot: { points: 20, seconds: 15 * 60 },
  "forgot.mail": { points: 3, seconds: 60 * 60, shared: true },
  delivery: { points: 60, seconds: 60, shared: true },
  agent: { points: 0, seconds: 60 },
  "login.failed": { points: 10, seconds: 15 * 60, shared: true },
  "login.failed.account": { points: 100, seconds: 60 * 60, shared: true },
  "login.failed.ip": { points: 100, seconds: 15 * 60 },
  "password.failed": { points: 10, seconds: 15 * 60, shared: true },
  "second_factor.failed": { points: 10, seconds: 15 * 60, shared: true },
  "enroll.failed": { points: 100, seconds: 15 * 60 },
} as const satisfies Record<string, Rule>;
export type LimitName = keyof typeof RULES;

const ruleOf = (name: LimitName): Rule => RULES[name];
const pointsOf = (name: LimitName): number => (name === "agent" ? env().AGENT_REQUESTS_PER_MINUTE : RULES[name].points);

const limiters = new Map<LimitName, RateLimiterMemory>();

function limiter(name: LimitName): RateLimiterMemory {
  const found = limiters.get(name);
  if (found) return found;
  const created = new RateLimiterMemory({ keyPrefix: name, points: pointsOf(name), duration: RULES[name].seconds });
  limiters.set(name, created);
  return created;
}

function exceeded(name: LimitName, ms: number): AppError {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  return tooMany(`Too many attempts; try again in ${seconds} s.`, { limit: pointsOf(name), seconds });
}

const countedAs = (key: string | null): string => networkOf(key) ?? "unknown";

/**
 * Counts one attempt of key under a rule.
 * @throws AppError rate_limited, with Retry-After and RateLimit-* headers, when it is one too many.
 */
export async function limit(name: LimitName, key: string | null): Promise<void> {
  if (ruleOf(name).shared) {
    const { points, ms } = await countShared(name, countedAs(key), RULES[name].seconds);
    if (points > pointsOf(name)) throw exceeded(name, ms);
    return;
  }
  try {
    await limiter(name).consume(countedAs(key));
  } catch (state) {
    throw state instanceof RateLimiterRes ? exceeded(name, state.msBeforeNext) : state;
  }
}

/**
 * Refuses without counting, where only failures count.
 * @throws AppError rate_limited when key has used its attempts up.
 */
export async function requireAttemptsLeft(name: LimitName, key: string | null): Promise<void> {
  if (ruleOf(name).shared) {
    const { points, ms } = await readShared(name, countedAs(key));
    if (points >= pointsOf(name)) throw exceeded(name, ms);
    return;
  }
  const state = await limiter(name).get(countedAs(key));
  if (state && state.consumedPoints >= pointsOf(name)) throw exceeded(name, state.msBeforeNext);
}
