import { createHash } from "node:crypto";
import { RateLimiterMemory, RateLimiterPostgres, type RateLimiterRes } from "rate-limiter-flexible";
import { lookUpAll } from "@/db/lookup";
import { networkOf } from "@/server/ground/client-ip";
import { env } from "@/server/ground/env";
import { type AppError, tooMany } from "@/server/ground/errors";
import { noteLimit } from "./met";

/** shared: counted across processes; else in this one only. */
type Rule = { points: number; seconds: number; shared?: true };

/**
 * Attempts per key and window. Requests count under "token", "refresh", "enroll", "agent", "download", "setup", "link",
 * "forgot" and "delivery"; under "*.failed" only failures count, so that correct passwords never lock anyone out.
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

const pointsOf = (name: LimitName): number => (name === "agent" ? env().AGENT_REQUESTS_PER_MINUTE : RULES[name].points);

/** The library's own limit is never reached: each rule compares the count itself. */
const UNBOUNDED = { points: Number.MAX_SAFE_INTEGER, duration: 1, keyPrefix: "" };

const ownWindows = new RateLimiterMemory(UNBOUNDED);
let allWindows: RateLimiterPostgres | undefined;

/** Shared counters, over connections that see every organization; the migration creates the table. */
function sharedWindows(): RateLimiterPostgres {
  const query = async ({ text, values }: { text: string; values: (string | number)[] }) => {
    const rows = await lookUpAll((sql) => sql.unsafe(text, values, { prepare: true }));
    return { rows, rowCount: rows.length };
  };
  allWindows ??= new RateLimiterPostgres({
    ...UNBOUNDED,
    storeClient: { query },
    storeType: "pool",
    tableName: "shared_limits",
    tableCreated: true,
  });
  return allWindows;
}

/** Addresses are counted by network. The shared table has no e-mail address or network in plain text. */
function windowOf(name: LimitName, key: string | null) {
  const counted = `${name} ${networkOf(key) ?? "unknown"}`;
  const { shared }: Rule = RULES[name];
  if (!shared) return { windows: ownWindows, counted };
  return { windows: sharedWindows(), counted: createHash("sha256").update(counted).digest("base64url") };
}

const secondsOf = ({ msBeforeNext }: RateLimiterRes): number => Math.max(1, Math.ceil(msBeforeNext / 1000));

function exceeded(name: LimitName, used: RateLimiterRes): AppError {
  const seconds = secondsOf(used);
  return tooMany(`Too many attempts; try again in ${seconds} s.`, { limit: pointsOf(name), seconds });
}

/**
 * Counts an attempt of key under a rule.
 * @throws AppError rate_limited, with Retry-After and RateLimit-* headers, above the limit.
 */
export async function limit(name: LimitName, key: string | null): Promise<void> {
  const { windows, counted } = windowOf(name, key);
  const used = await windows.penalty(counted, 1, { customDuration: RULES[name].seconds });
  const points = pointsOf(name);
  if (used.consumedPoints > points) throw exceeded(name, used);
  noteLimit({ limit: points, remaining: points - used.consumedPoints, seconds: secondsOf(used) });
}

/**
 * Refuses without counting, for rules that count failures.
 * @throws AppError rate_limited when key has used up its attempts.
 */
export async function requireAttemptsLeft(name: LimitName, key: string | null): Promise<void> {
  const { windows, counted } = windowOf(name, key);
  const used = await windows.get(counted);
  if (used && used.consumedPoints >= pointsOf(name)) throw exceeded(name, used);
}
