import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statfsSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "@/db/thrown";

/** Reason that a small file system cannot be mounted here; null if it can. */
export function whyNotMounted(): string | null {
  if (process.platform !== "linux") return "a disk that can be filled is mounted on Linux alone";
  if (process.getuid?.() !== 0) return "mounting a disk that can be filled takes root";
  try {
    new SmallDisk(PROBE_MEGABYTES).end();
    return null;
  } catch (error) {
    return `no disk could be mounted: ${messageOf(error)}`;
  }
}

const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { stdio: ["ignore", "ignore", "pipe"] });
const MEGABYTE = 1024 * 1024;
const PROBE_MEGABYTES = 8;
const TIMEOUT_MS = 20_000;

/** Power cut: stops writes and loses what is only in memory (ext4's ioctl for such tests). */
const SHUT_DOWN = `
import fcntl, os, struct, sys
fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587D, struct.pack("I", 2))`;

/** Processes with a working directory below a folder. */
function processesIn(folder: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return `${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${folder}/`);
      } catch {
        return false;
      }
    });
}

/** A mounted ext4 image of some megabytes. */
export class SmallDisk {
  readonly #root = mkdtempSync(join(tmpdir(), "trailmark-torture-disk-"));
  readonly #image = join(this.#root, "image");
  readonly folder = join(this.#root, "disk");

  constructor(megabytes: number) {
    chmodSync(this.#root, 0o755);
    try {
      run("truncate", "-s", `${megabytes}M`, this.#image);
      run("mkfs.ext4", "-q", "-m", "0", this.#image);
      mkdirSync(this.folder);
      this.mount();
    } catch (error) {
      rmSync(this.#root, { recursive: true, force: true });
      throw error;
    }
  }

  mount = () => run("mount", "-o", "loop", this.#image, this.folder);
  unmount = () => run("umount", this.folder);

  /** Ends every process on the disk, whose files are no longer readable. */
  async endProcesses(): Promise<void> {
    for (const deadline = Date.now() + TIMEOUT_MS; Date.now() < deadline; await sleep(20)) {
      const left = processesIn(this.folder);
      if (left.length === 0) return;
      for (const pid of left)
        try {
          process.kill(pid, "SIGKILL");
        } catch {
          // It exited in the meantime.
        }
    }
    throw new Error("processes still work on the disk");
  }

  cutPower = () => run("python3", "-c", SHUT_DOWN, this.folder);

  /** Fills the disk except for some bytes. */
  fill(left: number): void {
    const file = openSync(join(this.folder, "ballast"), "a");
    const chunk = Buffer.alloc(MEGABYTE, 1);
    try {
      for (;;) {
        const { bavail, bsize } = statfsSync(this.folder);
        const room = Math.min(MEGABYTE, bavail * bsize - left);
        if (room <= 0) return;
        writeSync(file, chunk, 0, room);
      }
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
    } finally {
      closeSync(file);
    }
  }

  free = () => rmSync(join(this.folder, "ballast"), { force: true });

  end(): void {
    try {
      this.unmount();
    } catch {
      run("umount", "--lazy", this.folder); // Still used by a process, or not mounted between two cuts.
    } finally {
      rmSync(this.#root, { recursive: true, force: true });
    }
  }
}
