import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Embedded, startEmbedded } from "@/db/embedded/embedded";
import { parseEnv } from "@/server/env";

/** A secret of this installation, created at the first start and kept, readable by its owner alone. */
function keptSecret(dataDir: string, name: string): string {
  const file = join(dataDir, name);
  if (existsSync(file)) return readFileSync(file, "utf8").trim();
  const secret = randomBytes(48).toString("base64url");
  writeFileSync(file, `${secret}\n`, { mode: 0o600 });
  return secret;
}

const present = (name: string) => Boolean(process.env[name] || process.env[`${name}_FILE`]);

/**
 * Completes the environment before it is read: the data folder, the secret, the public address and, where no
 * DATABASE_URL is given, the embedded PostgreSQL.
 * @throws EnvError naming every variable that is wrong
 * @returns the embedded server to stop at the end, or null.
 */
export async function prepareEnvironment(): Promise<Embedded | null> {
  const dataDir = resolve(process.env.TRAILMARK_DATA_DIR || ".trailmark");
  mkdirSync(dataDir, { recursive: true });
  process.env.TRAILMARK_DATA_DIR = dataDir;
  if (!present("NEXTAUTH_SECRET")) process.env.NEXTAUTH_SECRET = keptSecret(dataDir, "nextauth-secret");
  process.env.NEXTAUTH_URL ||= `http://${hostInUrl(process.env.HOST || "127.0.0.1")}:${process.env.PORT || "3000"}`;
  // Every fault is reported at once, before a database is started.
  parseEnv({ ...process.env, ...(present("DATABASE_URL") ? {} : { DATABASE_URL: "postgres://embedded" }) });
  if (present("DATABASE_URL")) return null;
  const embedded = await startEmbedded(dataDir);
  process.env.DATABASE_URL = embedded.appUrl;
  process.env.AUDIT_ADMIN_DATABASE_URL = embedded.adminUrl;
  process.env.TRAILMARK_OWNER_DATABASE_URL = embedded.ownerUrl;
  return embedded;
}

/** An address that listens everywhere is reached as localhost; an IPv6 one stands in brackets. */
function hostInUrl(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}
