import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startProgram } from "@/testing/program";
import { tempFolder } from "@/testing/temp-folder";

const TOOLS =
  "awk cat chmod cmp cp curl cut find grep gzip id ls mkdir mktemp mv rm rmdir sha256sum sh timeout uname wc".split(
    " ",
  );

/** System tools of the installer, logged instead of executed. */
const SYSTEM = {
  id: 'case "$*" in -u) echo 0 ;; "-u trailmark-agent") [ -e "$ROOT/user" ] ;; esac',
  useradd: ': >"$ROOT/user"',
  userdel: 'rm "$ROOT/user"',
  chown: ":",
  runuser: 'shift 3; exec "$@"',
  systemctl: ":",
  sudo: 'exec "$@"',
};

const pathOf = (tool: string): string => execFileSync("which", [tool], { encoding: "utf8" }).trim();
const ENV = pathOf("env");
const SCRIPTS = TOOLS.map((tool) => [tool, `exec ${pathOf(tool)} "$@"`] as const);

type Shell = { args?: string[]; key?: string; env?: Record<string, string> };
export type Ran = { code: number; out: string };

/**
 * A machine for the installer: its own folders, and a PATH whose programs log arguments and environment, and where
 * sleep returns at once.
 * @param node whether there is Node
 * @param system whether there is systemd, and root
 */
export class Machine {
  readonly root = tempFolder();
  readonly dir = join(this.root, "opt");
  readonly state = join(this.root, "state");
  readonly units = join(this.root, "units");
  readonly program = join(this.dir, "trailmark-agent");
  private readonly bin = join(this.root, "bin");
  private readonly log = join(this.root, "log");

  constructor({ node = false, system = false } = {}) {
    mkdirSync(this.bin);
    mkdirSync(this.units);
    for (const [tool, script] of SCRIPTS) this.put(tool, script);
    this.put("sleep", ":");
    if (node) this.put("node", `exec ${process.execPath} "$@"`);
    if (system) for (const [name, script] of Object.entries(SYSTEM)) this.put(name, script);
  }

  /** Adds a program to the machine, or replaces one. */
  put(name: string, script: string): void {
    const note = `{ echo "RUN \${0##*/} $*"; ${ENV}; } >>"$ROOT/log"`;
    writeFileSync(join(this.bin, name), `#!/bin/sh\nROOT=${this.root}\n${note}\n${script}\n`, { mode: 0o755 });
  }

  /** Removes a program. */
  remove(name: string): void {
    rmSync(join(this.bin, name), { force: true });
  }

  /** Programs run so far, with arguments and environment. */
  get noted(): string {
    return existsSync(this.log) ? readFileSync(this.log, "utf8") : "";
  }

  get calls(): string[] {
    return [...this.noted.matchAll(/^RUN (.*)$/gm)].map(([, call = ""]) => call);
  }

  /** Runs an installer's text, with the key on standard input. */
  install(script: string, args: string[] = [], { key = "", env = {} } = {}): Promise<Ran> {
    const places = ["--dir", this.dir, "--state-dir", this.state, "--unit-dir", this.units];
    return this.run(script, { args: [...places, ...args], key, env });
  }

  async run(line: string, { args = [], key = "", env = {} }: Shell = {}): Promise<Ran> {
    // In a separate session, without a terminal to ask on.
    const { ended, output } = startProgram("/bin/sh", ["-c", line, "install.sh", ...args], {
      env: { PATH: this.bin, HOME: this.root, ...env },
      input: key,
      detached: true,
    });
    const { code } = await ended;
    return { code: code ?? -1, out: output() };
  }
}
