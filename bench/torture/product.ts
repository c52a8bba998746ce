import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import type { Server } from "@/testing/server";

type Ran = { code: number | null; out: string; err: string };
type Running = { child: ChildProcess; ended: Promise<Ran> };

/** The built command line on a data folder, to be ended early. */
export function startProduct(dataDir: string, args: string[], env: Record<string, string> = {}): Running {
  const child = spawn(process.execPath, [join("dist", "trailmark.mjs"), ...args], {
    env: { PATH: process.env.PATH ?? "", NODE_ENV: "production", TRAILMARK_DATA_DIR: dataDir, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [out, err] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  const ended = new Promise<Ran>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, out, err }));
  });
  return { child, ended };
}

/** The built command line on the data folder of a running server, until it ends. */
export const runProduct = ({ dataDir }: Server, args: string[]): Promise<Ran> => startProduct(dataDir, args).ended;
