import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { listen } from "@/testing/port-of";

const RSYSLOGD = "/usr/sbin/rsyslogd";
/** Missing parts of Debian's rsyslog with rsyslog-gnutls and rsyslog-relp; null if complete. */
export const whyNoRsyslog = [
  RSYSLOGD,
  ...["lmnsd_gtls", "imrelp", "mmpstrucdata"].map((name) => `/usr/lib/x86_64-linux-gnu/rsyslog/${name}.so`),
]
  .filter((path) => !existsSync(path))
  .map((path) => `${path} is not installed`)[0];

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function untilHeard(port: number): Promise<void> {
  for (let i = 0; i < 200; i++) {
    const heard = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1");
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
      socket.once("connect", () => socket.destroy());
    });
    if (heard) return;
    await wait(50);
  }
  throw new Error("rsyslogd does not listen");
}

/** A message with structured data, parsed by rsyslog. */
export type Parsed = {
  pri: string;
  host: string;
  app: string;
  msgid: string;
  sd: Record<string, Record<string, string>>;
  msg: string;
};

const configOf = (folder: string, ports: { tls: number; relp: number }) => `
global(workDirectory="${folder}" maxMessageSize="64k"
  DefaultNetstreamDriverCAFile="${folder}/ca.pem"
  DefaultNetstreamDriverCertFile="${folder}/server.pem"
  DefaultNetstreamDriverKeyFile="${folder}/server.key")
module(load="imtcp" StreamDriver.Name="gtls" StreamDriver.Mode="1" StreamDriver.AuthMode="x509/certvalid")
module(load="imrelp")
module(load="mmpstrucdata")
template(name="line" type="string" string="%hostname%|%app-name%|%msgid%|%structured-data%|%msg%\\n")
template(name="parsed" type="string" string="{\\"pri\\":\\"%pri%\\",\\"host\\":\\"%hostname%\\",\\"app\\":\\"%app-name%\\",\\"msgid\\":\\"%msgid%\\",\\"sd\\":%$!rfc5424-sd%,\\"msg\\":\\"%msg:::json%\\"}\\n")
ruleset(name="tls") {
  action(type="omfile" file="${folder}/tls.log" template="line")
  if $structured-data != "-" then {
    action(type="mmpstrucdata" sd_name.lowercase="off")
    action(type="omfile" file="${folder}/parsed.log" template="parsed")
  }
}
ruleset(name="relp") { action(type="omfile" file="${folder}/relp.log" template="line") }
input(type="imtcp" address="127.0.0.1" port="${ports.tls}" ruleset="tls")
input(type="imrelp" address="127.0.0.1" port="${ports.relp}" ruleset="relp" maxDataSize="64k")
`;

/** A real rsyslogd: syslog over TLS with client certificates, and RELP. `folder` must have the certificates. */
export async function startRsyslog(folder: string) {
  const ports = { tls: await freePort(), relp: await freePort() };
  writeFileSync(join(folder, "rsyslog.conf"), configOf(folder, ports));
  let child: ChildProcess | null = null;
  const start = async () => {
    child = spawn(RSYSLOGD, ["-n", "-f", join(folder, "rsyslog.conf"), "-i", join(folder, "rsyslog.pid")], {
      stdio: "ignore",
    });
    await Promise.all([untilHeard(ports.tls), untilHeard(ports.relp)]);
  };
  const end = async (signal: NodeJS.Signals) => {
    const ended = new Promise((resolve) => child?.once("exit", resolve));
    child?.kill(signal);
    await ended;
  };
  await start();
  const linesOf = (kind: "tls" | "relp" | "parsed"): string[] => {
    const path = join(folder, `${kind}.log`);
    return existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : [];
  };
  const parsed = (): Parsed[] => linesOf("parsed").map((line) => JSON.parse(line));
  return { ports, linesOf, parsed, start, kill: () => end("SIGKILL"), stop: () => end("SIGTERM") };
}
