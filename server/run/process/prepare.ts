import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { hasEmbedded } from "@/db/embedded/cluster";
import { type Embedded, startEmbedded } from "@/db/embedded/embedded";
import { type Env, EnvError, parseEnv, unusableVariable } from "@/server/ground/env";
import { createDataFolder } from "./data-folder";

/**
 * A secret of this installation, created at the first start, readable only by its owner.
 * @throws EnvError if the data folder cannot be read or written
 */
function keptSecret(dataDir: string, name: string): string {
  const file = join(dataDir, name);
  try {
    if (existsSync(file)) return readFileSync(file, "utf8").trim();
    const secret = randomBytes(48).toString("base64url");
    writeFileSync(file, `${secret}\n`, { mode: 0o600, flush: true });
    return secret;
  } catch (error) {
    throw unusableVariable("TRAILMARK_DATA_DIR", `${file} cannot be kept (${String(error)})`);
  }
}

const present = (name: string) => Boolean(process.env[name] || process.env[`${name}_FILE`]);

/**
 * Sets defaults for the data folder, which it returns, and the public address.
 * @throws EnvError if the folder cannot be created
 */
export function completePlaces(): string {
  const dataDir = resolve(process.env.TRAILMARK_DATA_DIR || ".trailmark");
  createDataFolder(dataDir);
  process.env.TRAILMARK_DATA_DIR = dataDir;
  process.env.NEXTAUTH_URL ||= `http://${hostInUrl(process.env.HOST || "127.0.0.1")}:${process.env.PORT?.trim() || "3000"}`;
  return dataDir;
}

/** Placeholders for the embedded database's address and the secret before they exist. */
const LATER = { DATABASE_URL: "postgres://embedded", NEXTAUTH_SECRET: "x".repeat(32) };

/**
 * Environment of an installation to be restored: starts no database and creates no secret, because both may be in the
 * backup.
 * @throws EnvError naming every variable that is wrong
 */
export function readEnvironment(): Env & { isEmbedded: boolean } {
  completePlaces();
  const isEmbedded = !present("DATABASE_URL");
  const secret = present("NEXTAUTH_SECRET") ? {} : { NEXTAUTH_SECRET: LATER.NEXTAUTH_SECRET };
  const database = isEmbedded ? { DATABASE_URL: LATER.DATABASE_URL } : {};
  return { ...parseEnv({ ...process.env, ...secret, ...database }), isEmbedded };
}

/**
 * Completes the environment before it is read: data folder, secret, public address and, without DATABASE_URL, the
 * embedded PostgreSQL. `mayMake` allows creating an installation, which a command with missing settings must not do by
 * accident.
 * @throws EnvError naming every variable that is wrong
 * @returns the embedded server to stop at the end, or null.
 */
export async function prepareEnvironment({ mayMake = false } = {}): Promise<Embedded | null> {
  const dataDir = completePlaces();
  if (!mayMake && !present("DATABASE_URL") && !hasEmbedded(dataDir))
    throw new EnvError(
      `There is no installation to work on: DATABASE_URL is not set, and ${dataDir} holds no embedded PostgreSQL.\n` +
        "Give the command the settings that the server has: DATABASE_URL, or its TRAILMARK_DATA_DIR.",
    );
  if (!present("NEXTAUTH_SECRET")) process.env.NEXTAUTH_SECRET = keptSecret(dataDir, "nextauth-secret");
  // Reports all faults at once, before starting a database.
  parseEnv({ ...process.env, ...(present("DATABASE_URL") ? {} : { DATABASE_URL: LATER.DATABASE_URL }) });
  if (present("DATABASE_URL")) return null;
  const embedded = await startEmbedded(dataDir);
  process.env.DATABASE_URL = embedded.appUrl;
  process.env.AUDIT_ADMIN_DATABASE_URL = embedded.adminUrl;
  process.env.TRAILMARK_OWNER_DATABASE_URL = embedded.ownerUrl;
  return embedded;
}

/** A wildcard address is reached as localhost; IPv6 needs brackets. */
function hostInUrl(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}
