import { readFileSync } from "node:fs";
import { isIPv4 } from "node:net";
import { resolve } from "node:path";
import { z } from "zod";
import { configureDatabase } from "@/db/settings";
import { ExpectedError } from "@/db/thrown";

const flag = z
  .enum(["true", "false", "1", "0", "on", "off", "yes", "no"])
  .transform((v) => ["true", "1", "on", "yes"].includes(v));

/** True if the driver can parse an address; it tries several hosts (a:5432,b:5432) in turn. */
const canBeRead = (url: string): boolean =>
  [url, url.replace(/,[^/?]*/, "")].some((one) => URL.canParse(one)) && !/%(?![\da-f]{2})/i.test(url);

const postgresUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\/.+/, { error: "must be a postgres:// address", abort: true })
  .refine(canBeRead, 'cannot be read; in a password "#", "/", "?", "@" and "%" are written %23, %2F, %3F, %40 and %25');

const NO_HOST = "must be an address or a host name";

const webUrl = z.url({ protocol: /^https?$/, error: "must be an http or https address" });

export const envSchema = z.object({
  HOST: z
    .string()
    .regex(/^[\w.:%-]+$/, { error: NO_HOST, abort: true })
    .refine((host) => !/^[\d.]+$/.test(host) || isIPv4(host), NO_HOST)
    .default("127.0.0.1"),
  PORT: z.coerce.number().int().min(0).max(65535).default(3000),
  TRAILMARK_DATA_DIR: z.string().min(1).default(".trailmark"),
  DATABASE_URL: postgresUrl,
  DATABASE_POOL_SIZE: z.coerce.number().int().min(2).max(200).default(20),
  DATABASE_PREPARE: flag.default(true),
  DATABASE_DIRECT_URL: postgresUrl.optional(),
  DATABASE_READ_URL: postgresUrl.optional(),
  TRAILMARK_CITUS: flag.default(false),
  AUDIT_ADMIN_DATABASE_URL: postgresUrl.optional(),
  TRAILMARK_OWNER_DATABASE_URL: postgresUrl.optional(),
  TRAILMARK_ADMIN_EMAIL: z.email().optional(),
  TRAILMARK_ADMIN_PASSWORD: z.string().min(12, "must have at least 12 characters").optional(),
  NEXTAUTH_SECRET: z.string().min(32, "must have at least 32 characters"),
  NEXTAUTH_URL: webUrl,
  TRUST_PROXY_HEADERS: flag.default(false),
  TRAILMARK_CLIENT_IP_HEADER: z
    .string()
    .regex(/^[\w-]+$/, "must be the name of a header")
    .toLowerCase()
    .optional(),
  TRAILMARK_SIGNING_KEY_FILE: z.string().min(1).optional(),
  TRAILMARK_JWT_KEY_FILE: z.string().min(1).optional(),
  TRAILMARK_WITNESS_POLICY_FILE: z.string().min(1).optional(),
  TRAILMARK_PUBLIC_LOG: flag.default(false),
  TRAILMARK_TSA_URL: webUrl.optional(),
  CHECKPOINT_WEBHOOK_URL: webUrl.optional(),
  CHECKPOINT_WEBHOOK_SECRET: z.string().min(16).optional(),
  OIDC_ISSUER: webUrl.optional(),
  OIDC_CLIENT_ID: z.string().min(1).optional(),
  OIDC_CLIENT_SECRET: z.string().min(1).optional(),
  OIDC_NAME: z.string().min(1).max(60).default("single sign-on"),
  OIDC_JIT_ORGANIZATION: z.guid().optional(),
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\/.+/, "must be an smtp:// or smtps:// address")
    .optional(),
  SMTP_FROM: z.string().min(3).optional(),
  TRAILMARK_WEBHOOKS_PRIVATE: flag.default(false),
  TRAILMARK_WEBHOOKS_HTTP: flag.default(false),
  /** Read by the exporter itself, like other OTEL_EXPORTER_OTLP_ variables. */
  OTEL_EXPORTER_OTLP_ENDPOINT: webUrl.optional(),
  OTEL_SERVICE_NAME: z.string().min(1).default("trailmark"),
  WORKERS: flag.default(true),
  AGENT_REQUESTS_PER_MINUTE: z.coerce.number().int().min(1).default(600),
  METRICS_TOKEN: z.string().min(8).optional(),
  LOG_LEVEL: z.enum(["silent", "fatal", "error", "warn", "info", "debug", "trace"]).default("info"),
  NODE_ENV: z.enum(["development", "production", "test"]).default("production"),
  TRAILMARK_DEV: flag.default(false),
});
export type Env = z.infer<typeof envSchema>;

/** Thrown for an unusable environment, listing every fault on its own line. */
export class EnvError extends ExpectedError {}

const unusable = (faults: string[]) =>
  new EnvError(`The environment is not usable:\n${faults.map((fault) => `  - ${fault}`).join("\n")}`);

/** Fault of a variable's value that only shows in use. */
export const unusableVariable = (name: keyof Env, reason: string): EnvError => unusable([`${name}: ${reason}`]);

/** Settings that may come from a file given as NAME_FILE. */
export const SECRETS = [
  "DATABASE_URL",
  "DATABASE_DIRECT_URL",
  "DATABASE_READ_URL",
  "AUDIT_ADMIN_DATABASE_URL",
  "TRAILMARK_OWNER_DATABASE_URL",
  "TRAILMARK_ADMIN_PASSWORD",
  "NEXTAUTH_SECRET",
  "METRICS_TOKEN",
  "CHECKPOINT_WEBHOOK_SECRET",
  "SMTP_URL",
  "OIDC_CLIENT_SECRET",
];

/** Reads NAME_FILE variables as NAME; empty strings count as unset. */
function withFiles(source: NodeJS.ProcessEnv): { values: Record<string, string>; faults: string[] } {
  const values: Record<string, string> = {};
  const faults: string[] = [];
  for (const [name, value] of Object.entries(source)) if (value) values[name] = value;
  for (const name of SECRETS) {
    const file = values[`${name}_FILE`];
    if (!file) continue;
    if (values[name]) faults.push(`${name} and ${name}_FILE are both set; keep one`);
    try {
      values[name] = readFileSync(file, "utf8").trim();
    } catch {
      faults.push(`${name}_FILE: cannot read the file it names`);
    }
  }
  return { values, faults };
}

/** One line per fault. An unset NEXTAUTH_URL derives from HOST and PORT, so only those are reported. */
function namedFaults(issues: readonly z.core.$ZodIssue[]): string[] {
  const named = issues.map(({ path, message }) => ({ name: path.join("."), message }));
  const isListener = named.some(({ name }) => name === "HOST" || name === "PORT");
  return named
    .filter(({ name }) => !(isListener && name === "NEXTAUTH_URL"))
    .map(({ name, message }) => `${name}: ${message}`);
}

/**
 * Parses and checks the environment.
 * @throws EnvError naming every variable that is missing or wrong.
 */
export function parseEnv(source: NodeJS.ProcessEnv): Env {
  const { values, faults } = withFiles(source);
  const parsed = envSchema.safeParse(values);
  if (!parsed.success) faults.push(...namedFaults(parsed.error.issues));
  if (parsed.success && !parsed.data.TRAILMARK_ADMIN_EMAIL !== !parsed.data.TRAILMARK_ADMIN_PASSWORD)
    faults.push("TRAILMARK_ADMIN_EMAIL and TRAILMARK_ADMIN_PASSWORD go together; one of them is missing");
  const oidc = parsed.data && [parsed.data.OIDC_ISSUER, parsed.data.OIDC_CLIENT_ID, parsed.data.OIDC_CLIENT_SECRET];
  if (oidc?.some(Boolean) && !oidc.every(Boolean))
    faults.push("OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET go together; one of them is missing");
  if (parsed.success && !parsed.data.SMTP_URL !== !parsed.data.SMTP_FROM)
    faults.push("SMTP_URL and SMTP_FROM go together; one of them is missing");
  if (parsed.success && !parsed.data.DATABASE_PREPARE && !parsed.data.DATABASE_DIRECT_URL)
    faults.push("DATABASE_PREPARE=false needs DATABASE_DIRECT_URL, the address of PostgreSQL past the pooler");
  if (faults.length > 0 || !parsed.success) throw unusable(faults);
  return { ...parsed.data, TRAILMARK_DATA_DIR: resolve(parsed.data.TRAILMARK_DATA_DIR) };
}

/**
 * The checked environment of this process. Only this reads process.env, enforced by biome's noProcessEnv; exceptions
 * run before the check (process/prepare, cli/quiet, environment/unknown-variables) or must work when it fails (log),
 * are inherited by the embedded PostgreSQL, or are tests, scripts and benches that start other programs.
 */
export function env(): Env {
  checked ??= parseEnv(process.env);
  return checked;
}
let checked: Env | undefined;
configureDatabase(env);

/** True if browsers use https. */
export const isHttps = (): boolean => env().NEXTAUTH_URL.startsWith("https:");

/** Connections that this process opens to PostgreSQL itself; 0 behind a pooler, which has its own limit. */
export const ownPoolSize = (): number => (env().DATABASE_PREPARE ? env().DATABASE_POOL_SIZE : 0);

/** Addresses for db/migrate. */
export function databaseAddresses() {
  const { TRAILMARK_OWNER_DATABASE_URL, DATABASE_URL, AUDIT_ADMIN_DATABASE_URL, TRAILMARK_CITUS } = env();
  return {
    ownerUrl: TRAILMARK_OWNER_DATABASE_URL,
    appUrl: DATABASE_URL,
    adminUrl: AUDIT_ADMIN_DATABASE_URL,
    citus: TRAILMARK_CITUS,
  };
}
