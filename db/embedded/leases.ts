import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFolder } from "./create-folder";
import { isAlive } from "./postmaster";

/** The leases of this process, by the names of their files. */
const mine = new Set<string>();

/**
 * Says, by a file named after our process, that we use the cluster: the last to leave stops the server.
 * `release` takes the file away and answers how many users are left; files of dead processes go too.
 */
export function acquireLease(dataDir: string): { release(): number } {
  const folder = join(dataDir, "postgres.users");
  const name = `${process.pid}-${mine.size + 1}`;
  createFolder(folder, 0o700);
  mine.add(name);
  writeFileSync(join(folder, name), "", { mode: 0o600 });

  // A process from before a restart of the machine or container may have had our number: a file that we did not write
  // is stale.
  const isStale = (lease: string) => {
    const pid = Number.parseInt(lease, 10);
    return pid === process.pid ? !mine.has(lease) : !isAlive(pid);
  };
  return {
    release: () => {
      rmSync(join(folder, name), { force: true });
      const others = readdirSync(folder).filter((lease) => lease !== name);
      for (const lease of others.filter(isStale)) rmSync(join(folder, lease), { force: true });
      return others.filter((lease) => !isStale(lease)).length;
    },
  };
}
