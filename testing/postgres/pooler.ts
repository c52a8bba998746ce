import { spawn } from "node:child_process";
import { chmodSync, chownSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "@/testing/server";
import { tempFolder } from "@/testing/temp-folder";

const PROGRAM = "/usr/sbin/pgbouncer";
const NOBODY = 65534;
const START_TIMEOUT_MS = 5_000;

/** Whether Debian's pgbouncer is installed. */
export const hasPooler = (): boolean => existsSync(PROGRAM);

export type Pooler = { url: (direct: string) => string; log: () => string; stop: () => Promise<void> };

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.end());
  });

/**
 * pgbouncer in transaction mode on loopback, before the server of the addresses.
 * @param urls addresses whose users it accepts
 */
export async function startPooler(urls: string[], { poolSize = 5 } = {}): Promise<Pooler> {
  const [{ hostname, port: target } = new URL("postgres://127.0.0.1")] = urls.map((url) => new URL(url));
  const port = await freePort();
  const folder = tempFolder();
  const users = urls.map((url) => new URL(url)).map((u) => `"${u.username}" "${decodeURIComponent(u.password)}"`);
  writeFileSync(join(folder, "users.txt"), `${users.join("\n")}\n`);
  writeFileSync(
    join(folder, "pgbouncer.ini"),
    `[databases]
* = host=${hostname} port=${target || 5432}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${folder}/users.txt
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 500
logfile = ${folder}/log
`,
  );
  const isRoot = process.getuid?.() === 0;
  chmodSync(folder, 0o700);
  if (isRoot) for (const name of ["", "users.txt", "pgbouncer.ini"]) chownSync(join(folder, name), NOBODY, NOBODY);
  const child = spawn(PROGRAM, ["-q", join(folder, "pgbouncer.ini")], {
    stdio: "ignore",
    cwd: "/",
    ...(isRoot && { uid: NOBODY, gid: NOBODY }),
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const log = () => readFileSync(join(folder, "log"), "utf8");
  for (const deadline = Date.now() + START_TIMEOUT_MS; !(await answers(port)); await sleep(20))
    if (Date.now() > deadline || child.exitCode !== null) throw new Error(`pgbouncer did not start: ${log()}`);
  return {
    url: (direct) => Object.assign(new URL(direct), { hostname: "127.0.0.1", port: String(port) }).href,
    log,
    stop: async () => {
      child.kill("SIGINT");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
