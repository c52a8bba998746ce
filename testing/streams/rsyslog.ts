import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { vi } from "vitest";
import { tempFolder } from "@/testing/temp-folder";

const RSYSLOGD = "/usr/sbin/rsyslogd";

/** True if this machine has rsyslog with its parser for structured data. */
export const hasRsyslog = (): boolean =>
  existsSync(RSYSLOGD) && existsSync("/usr/lib/x86_64-linux-gnu/rsyslog/mmpstrucdata.so");

/** A message parsed by rsyslog. */
export type Parsed = {
  pri: string;
  host: string;
  app: string;
  msgid: string;
  sd: Record<string, Record<string, string>>;
  msg: string;
};

const configIn = (dir: string): string => `
global(workDirectory="${dir}" maxMessageSize="64k")
module(load="imptcp")
module(load="mmpstrucdata")
template(name="parsed" type="string" string="{\\"pri\\":\\"%pri%\\",\\"host\\":\\"%hostname%\\",\\"app\\":\\"%app-name%\\",\\"msgid\\":\\"%msgid%\\",\\"sd\\":%$!rfc5424-sd%,\\"msg\\":\\"%msg:::json%\\"}\\n")
input(type="imptcp" path="${dir}/in.sock" ruleset="all")
ruleset(name="all") {
  action(type="mmpstrucdata" sd_name.lowercase="off")
  action(type="omfile" file="${dir}/out" template="parsed")
}
`;

async function send(path: string, messages: readonly string[]): Promise<void> {
  const socket = connect(path);
  await once(socket, "connect");
  // Octet counting (RFC 6587, 3.4.1).
  socket.end(messages.map((text) => `${Buffer.byteLength(text)} ${text}`).join(""));
  await once(socket, "close");
}

/** Messages received by a running rsyslog. */
export async function readByRsyslog(messages: readonly string[]): Promise<Parsed[]> {
  const dir = tempFolder();
  writeFileSync(join(dir, "conf"), configIn(dir));
  const daemon: ChildProcess = spawn(RSYSLOGD, ["-n", "-f", join(dir, "conf"), "-i", join(dir, "pid")], {
    stdio: "ignore",
  });
  try {
    await vi.waitUntil(() => existsSync(join(dir, "in.sock")), { timeout: 10_000 });
    await send(join(dir, "in.sock"), messages);
    const lines = () =>
      existsSync(join(dir, "out")) ? readFileSync(join(dir, "out"), "utf8").split("\n").slice(0, -1) : [];
    await vi.waitUntil(() => lines().length >= messages.length, { timeout: 10_000 });
    return lines().map((line) => JSON.parse(line));
  } finally {
    daemon.kill();
    await once(daemon, "exit");
    rmSync(dir, { recursive: true });
  }
}
