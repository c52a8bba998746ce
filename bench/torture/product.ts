import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Server } from "@/testing/server";

type Ran = { code: number | null; out: string; err: string };

/** The built command line beside a running server, on its data folder. */
export function runProduct({ dataDir }: Server, args: string[]): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join("dist", "trailmark.mjs"), ...args], {
      env: { PATH: process.env.PATH ?? "", NODE_ENV: "production", TRAILMARK_DATA_DIR: dataDir },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [out, err] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      err += text;
    });
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, out, err }));
  });
}
