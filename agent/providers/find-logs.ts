import { FileProvider, SYSTEM_LOG_FILES } from "./files";
import { hasJournal, JournaldProvider } from "./journald";
import type { LogProvider, Logs } from "./provider";
import { fixedLogs } from "./query";
import { UnifiedLogProvider } from "./unified-log";
import { findWindowsLogs } from "./windows";

const logsOf = (live: LogProvider[], shipped = live): Logs => ({ live: fixedLogs(live), shipped });

/** The journal holds what the syslog files hold too, so one of them is shipped; the package logs are in neither. */
async function findLinuxLogs(): Promise<Logs> {
  const files = SYSTEM_LOG_FILES.map((source) => new FileProvider(source));
  if (!(await hasJournal())) return logsOf(files);
  const journal = new JournaldProvider();
  const packageLogs = files.filter((file) => /dpkg|alternatives/.test(file.name));
  return logsOf([journal, ...files], [journal, ...packageLogs]);
}

/** The logs of this machine. A file that is not there yet counts: it is left out of lists until it can be read. */
export async function findLogs(): Promise<Logs> {
  if (process.platform === "win32") return findWindowsLogs();
  if (process.platform !== "darwin") return findLinuxLogs();
  return logsOf([new UnifiedLogProvider()]);
}
