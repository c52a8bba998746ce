import { join } from "node:path";
import { PORTS, SECRETS } from "./layout";
import { postgresPrograms } from "./programs";

/** Seconds without a leader before the cluster elects another. */
const LEADER_TTL = 10;

/** Patroni of one PostgreSQL. Commits wait for the replica if there is one (synchronous_mode). */
export function patroniSettings(folder: string, at: 0 | 1): string {
  const { name, postgres, rest } = PORTS.nodes[at];
  return JSON.stringify({
    scope: "trailmark",
    name,
    restapi: { listen: `127.0.0.1:${rest}`, connect_address: `127.0.0.1:${rest}` },
    etcd3: { host: `127.0.0.1:${PORTS.etcd}` },
    bootstrap: {
      dcs: {
        ttl: LEADER_TTL,
        loop_wait: 2,
        retry_timeout: 4,
        synchronous_mode: true,
        primary_start_timeout: 0,
        postgresql: {
          use_pg_rewind: true,
          use_slots: true,
          parameters: { max_connections: 200, wal_level: "replica", hot_standby: "on", wal_keep_size: "256MB" },
        },
      },
      initdb: [{ encoding: "UTF8" }, { locale: "C.UTF-8" }, "data-checksums"],
      pg_hba: ["host replication replicator 127.0.0.1/32 scram-sha-256", "host all all 127.0.0.1/32 scram-sha-256"],
    },
    postgresql: {
      listen: `127.0.0.1:${postgres}`,
      connect_address: `127.0.0.1:${postgres}`,
      bin_dir: postgresPrograms(),
      data_dir: join(folder, `data-${name}`),
      pgpass: join(folder, `pgpass-${name}`),
      remove_data_directory_on_rewind_failure: true,
      remove_data_directory_on_diverged_timelines: true,
      authentication: {
        superuser: { username: "super", password: SECRETS.super },
        replication: { username: "replicator", password: SECRETS.replication },
        rewind: { username: "super", password: SECRETS.super },
      },
      parameters: { unix_socket_directories: folder, shared_buffers: "128MB", password_encryption: "scram-sha-256" },
    },
  });
}

/**
 * A node that denies the role is believed at once. A freshly started proxy considers every node the primary and admits
 * no clients until one is left. `timeout check` is explicit, because otherwise a Patroni or process that answers later
 * than the interval, as on a busy machine, counts as down and all its sessions are cut.
 */
const nodes = (path: string) => `
  option httpchk GET ${path}
  http-check expect status 200
  timeout connect 1s
  timeout client 1h
  timeout server 1h
  timeout check 3s
  default-server inter 400ms fastinter 200ms downinter 200ms fall 1 rise 1 on-marked-down shutdown-sessions
${PORTS.nodes.map(({ name, postgres, rest }) => `  server ${name} 127.0.0.1:${postgres} check port ${rest}`).join("\n")}`;

/** One proxy for callers, primary and replica. A live process accepts events even while the database is down. */
export const haproxySettings = (): string => `global
  maxconn 4000
defaults
  timeout connect 1s
  timeout client 60s
  timeout server 60s
frontend http
  mode http
  bind 127.0.0.1:${PORTS.http}
  option forwardfor
  default_backend servers
backend servers
  mode http
  balance roundrobin
  option httpchk GET /healthz
  timeout check 3s
  option redispatch 1
  retries 3
  retry-on conn-failure
  default-server inter 500ms fastinter 250ms downinter 250ms fall 2 rise 1
${PORTS.servers.map((port, i) => `  server s${i + 1} 127.0.0.1:${port} check`).join("\n")}
listen primary
  mode tcp
  bind 127.0.0.1:${PORTS.primary}
  tcp-request connection reject if { nbsrv(primary) gt 1 }${nodes("/primary")}
listen replica
  mode tcp
  bind 127.0.0.1:${PORTS.replica}${nodes("/replica")}
`;

export const poolerUsers = (): string => `"trailmark_app" "${SECRETS.app}"\n`;

export const poolerSettings = (folder: string): string => `[databases]
trailmark = host=127.0.0.1 port=${PORTS.primary}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${PORTS.pooler}
unix_socket_dir =
auth_type = plain
auth_file = ${join(folder, "pooler-users")}
pool_mode = transaction
default_pool_size = 30
max_client_conn = 1000
server_connect_timeout = 2
server_login_retry = 0.5
query_wait_timeout = 2
`;
