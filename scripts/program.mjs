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
 * Command to start a bundle: through its own first line (server/run/process/main.ts) if the system supports that; else
 * directly.
 * @param {string} file
 * @returns {{ command: string, args: string[], env: { PATH: string } }}
 */
export function programOf(file) {
  const PATH = [dirname(process.execPath), process.env.PATH ?? ""].join(delimiter);
  if (process.platform !== "win32" && isExecutable(file)) return { command: file, args: [], env: { PATH } };
  return { command: process.execPath, args: [file], env: { PATH } };
}
