import { randomBytes } from "node:crypto";

/** First of the ports used, on loopback only. */
const FIRST_PORT = 4170;

export const PORTS = {
  etcd: FIRST_PORT,
  etcdPeer: FIRST_PORT + 1,
  pooler: FIRST_PORT + 3,
  primary: FIRST_PORT + 4,
  replica: FIRST_PORT + 5,
  http: FIRST_PORT + 6,
  nodes: [
    { name: "a", postgres: FIRST_PORT + 7, rest: FIRST_PORT + 8 },
    { name: "b", postgres: FIRST_PORT + 9, rest: FIRST_PORT + 10 },
  ],
  servers: [FIRST_PORT + 11, FIRST_PORT + 12, FIRST_PORT + 13],
} as const;

/** New for each cluster. */
export const SECRETS = {
  super: randomBytes(12).toString("hex"),
  replication: randomBytes(12).toString("hex"),
  owner: randomBytes(12).toString("hex"),
  app: randomBytes(12).toString("hex"),
  admin: randomBytes(12).toString("hex"),
  nextauth: randomBytes(32).toString("hex"),
};

const APP = `trailmark_app:${SECRETS.app}`;
const address = (login: string, port: number, database = "trailmark") =>
  `postgres://${login}@127.0.0.1:${port}/${database}`;

export const superUrl = (port: number, database = "trailmark"): string =>
  address(`super:${SECRETS.super}`, port, database);

/** Environment of a server process: the pooler for statements, the proxy for sessions, both for reads. */
export const serverEnvironment = (signingKey: string): Record<string, string> => ({
  DATABASE_URL: address(APP, PORTS.pooler),
  DATABASE_PREPARE: "false",
  DATABASE_DIRECT_URL: address(APP, PORTS.primary),
  DATABASE_READ_URL: address(APP, PORTS.replica),
  AUDIT_ADMIN_DATABASE_URL: address(`trailmark_audit_admin:${SECRETS.admin}`, PORTS.primary),
  TRAILMARK_OWNER_DATABASE_URL: address(`trailmark_owner:${SECRETS.owner}`, PORTS.primary),
  NEXTAUTH_SECRET: SECRETS.nextauth,
  NEXTAUTH_URL: `http://127.0.0.1:${PORTS.http}`,
  TRAILMARK_SIGNING_KEY_FILE: signingKey,
  TRUST_PROXY_HEADERS: "true",
  DATABASE_POOL_SIZE: "10",
  LOG_LEVEL: "warn",
});
