import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";

export type Ran = { code: number | null; signal: NodeJS.Signals | null; out: string; err: string };
type Options = { env?: NodeJS.ProcessEnv | Record<string, string>; cwd?: string; input?: string; detached?: boolean };

/** Starts a program and keeps its output; of the environment it gets PATH and `env`. */
export function startProgram(command: string, args: string[], { env, input, ...options }: Options = {}) {
  const child = spawn(command, args, {
    ...options,
    env: { PATH: process.env.PATH ?? "", NODE_ENV: "production", ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const kept = { out: "", err: "" };
  const heard = new EventEmitter();
  for (const [name, stream] of [["out", child.stdout] as const, ["err", child.stderr] as const])
    stream.setEncoding("utf8").on("data", (text: string) => {
      kept[name] += text;
      heard.emit("text");
    });
  // A program that ends early does not read it.
  child.stdin.on("error", () => {}).end(input);
  const ended = new Promise<Ran>((resolve, reject) => {
    child.once("error", reject).once("close", (code, signal) => resolve({ ...kept, code, signal }));
  });
  const output = () => kept.out + kept.err;
  /** Waits for a text in its output. @throws Error if the program ends without it */
  const said = async (pattern: RegExp): Promise<RegExpExecArray> => {
    const early = ended.then(({ code }) => {
      if (!pattern.test(output())) throw new Error(`the program ended with ${code}: ${output()}`);
    });
    for (;;) {
      const match = pattern.exec(output());
      if (match) return match;
      await Promise.race([once(heard, "text"), early]);
    }
  };
  return { child, ended, output, said };
}

/** A program of this Node. */
export const startNode = (args: string[], options?: Options) => startProgram(process.execPath, args, options);
