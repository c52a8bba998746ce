import { hostname } from "node:os";
import { exists } from "./process-name";

/** This process's name on the work that it claims. */
export const ownerName = `${hostname()}:${process.pid}:${crypto.randomUUID().slice(0, 8)}`;

/** True for the name of a process of this machine that is no longer there: its claims need not run out. */
export function isDeadOwner(name: string): boolean {
  const [host, pid] = name.split(":");
  return name !== ownerName && host === hostname() && !exists(Number(pid));
}
