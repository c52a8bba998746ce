import { FileProvider, SYSTEM_LOG_FILES } from "./files";
import { hasJournal, JournaldProvider } from "./journald";
import type { LogProvider, Logs } from "./provider";
import { fixedLogs } from "./query";
import { UnifiedLogProvider } from "./unified-log";
import { findWindowsLogs } from "./windows";

const logsOf = (live: LogProvider[], shipped = live): Logs => ({ live: fixedLogs(live), shipped });

/** The journal also contains the syslog files, so only one is shipped; package logs are in neither. */
async function findLinuxLogs(): Promise<Logs> {
  const files = SYSTEM_LOG_FILES.map((source) => new FileProvider(source));
  if (!(await hasJournal())) return logsOf(files);
  const journal = new JournaldProvider();
  const packageLogs = files.filter((file) => /dpkg|alternatives/.test(file.name));
  return logsOf([journal, ...files], [journal, ...packageLogs]);
}

/** Logs of this machine, including files that do not exist yet: lists omit them until they are readable. */
export async function findLogs(): Promise<Logs> {
  if (process.platform === "win32") return findWindowsLogs();
  if (process.platform !== "darwin") return findLinuxLogs();
  return logsOf([new UnifiedLogProvider()]);
}
