import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Debian's paths and packages of each program. */
const PROGRAMS = {
  patroni: { file: "/usr/bin/patroni", from: "patroni" },
  etcd: { file: "/usr/bin/etcd", from: "etcd-server" },
  haproxy: { file: "/usr/sbin/haproxy", from: "haproxy" },
  pgbouncer: { file: "/usr/sbin/pgbouncer", from: "pgbouncer" },
} as const;

const POSTGRES = "/usr/lib/postgresql";

export const program = (name: keyof typeof PROGRAMS): string => PROGRAMS[name].file;

/** Folder of the newest PostgreSQL's programs. */
export function postgresPrograms(): string | undefined {
  const versions = existsSync(POSTGRES) ? readdirSync(POSTGRES).sort((a, b) => Number(b) - Number(a)) : [];
  return versions.map((version) => join(POSTGRES, version, "bin")).find((bin) => existsSync(join(bin, "pg_rewind")));
}

/** Debian's packages that are not installed here. */
export const missingPackages = (): string[] => [
  ...(postgresPrograms() ? [] : ["postgresql"]),
  ...Object.values(PROGRAMS)
    .filter(({ file }) => !existsSync(file))
    .map(({ from }) => from),
];
