import { readFileSync } from "node:fs";

const POLL_MS = 150;

/** Name and parent of a process from /proc. */
function parentOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return {
      name: stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")")),
      ppid: stat.split(") ").at(-1).split(" ")[1],
    };
  } catch {
    return undefined;
  }
}

/** Our parent and, through npm's shell, npm itself. */
function lineage() {
  const shell = parentOf(process.ppid);
  return shell && /^(ba|da|)sh$/.test(shell.name) ? `${process.ppid} ${shell.ppid}` : `${process.ppid}`;
}

/**
 * npm puts a shell between itself and us and signals only that shell. So under npm we poll our ancestors and call back
 * once when they change. Without npm, outliving the parent is intended.
 */
export function onOrphaned(callback) {
  if (!process.env.npm_lifecycle_event || process.platform === "win32") return;
  const before = lineage();
  const timer = setInterval(() => {
    if (lineage() === before) return;
    clearInterval(timer);
    callback();
  }, POLL_MS);
  timer.unref();
}
