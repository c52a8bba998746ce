import { access, constants } from "node:fs/promises";
import { SYSTEM_LOG_FILES } from "../providers/files";
import { hasJournal } from "../providers/journald";
import { FileLog } from "./file-log";
import { JournalLog } from "./journal-log";
import type { LiveLog } from "./live-log";

const isReadable = (path: string): Promise<boolean> =>
  access(path, constants.R_OK).then(
    () => true,
    () => false,
  );

/** Every log of this machine that can be read now; asked anew for each list, because logs come and go. */
export async function findLiveLogs(): Promise<LiveLog[]> {
  const logs: LiveLog[] = (await hasJournal()) ? [new JournalLog()] : [];
  for (const source of SYSTEM_LOG_FILES) if (await isReadable(source.path)) logs.push(new FileLog(source));
  return logs;
}
