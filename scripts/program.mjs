import { accessSync, constants } from "node:fs";
import { delimiter, dirname } from "node:path";

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * How a bundle is started: by its own first line where the system reads such lines, which names what this node is to be
 * given (server/run/process/main.ts); else by its file alone.
 * @param {string} file
 * @returns {{ command: string, args: string[], env: { PATH: string } }}
 */
export function programOf(file) {
  const PATH = [dirname(process.execPath), process.env.PATH ?? ""].join(delimiter);
  if (process.platform !== "win32" && isExecutable(file)) return { command: file, args: [], env: { PATH } };
  return { command: process.execPath, args: [file], env: { PATH } };
}
