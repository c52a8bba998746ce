import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { until } from "@/bench/until";
import type { Server } from "@/testing/server";

/** Programs beside the server under test. */

type Ran = { code: number | null; out: string; err: string };
type Program = { child: ChildProcess; ended: Promise<Ran>; output: () => string };

/** A built program, for callers that end it early. */
function startProgram(name: string, args: string[], env: NodeJS.ProcessEnv): Program {
  const child = spawn(process.execPath, [join("dist", `${name}.mjs`), ...args], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ran: Ran = { code: null, out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    ran.out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    ran.err += text;
  });
  const ended = new Promise<Ran>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ ...ran, code }));
  });
  return { child, ended, output: () => `${ran.out}${ran.err}` };
}

/** The built command line on a data folder. */
export const startProduct = (dataDir: string, args: string[], env: Record<string, string> = {}): Program =>
  startProgram("trailmark", args, {
    ...{ PATH: process.env.PATH ?? "", NODE_ENV: "production", TRAILMARK_DATA_DIR: dataDir },
    ...env,
  });

/** The built command line on the data folder of a running server, until it ends. */
export const runProduct = ({ dataDir }: Server, args: string[]): Promise<Ran> => startProduct(dataDir, args).ended;

const optionsOf = (options: Record<string, string | number>): string[] =>
  Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);

type Connected = { base: string };

/** The reference agent, until it is ended. */
export const startAgent = ({ base }: Connected, key: string, options: Record<string, string | number>): Program =>
  startProgram("agent", optionsOf({ url: base, "enrollment-key": key, ...options }), process.env);

/** Many simulated agents, and when all of them listen. */
export function simulateAgents({ base }: Connected, key: string, options: Record<string, string | number>) {
  const given = optionsOf({ url: base, "enrollment-key": key, ...options });
  const program = startProgram("agent", ["simulate", ...given], process.env);
  const early = program.ended.then(() => {
    throw new Error(`the simulation ended early: ${program.output()}`);
  });
  const isListening = () => program.output().includes("listening");
  const listening = Promise.race([early, until("the agents listen", isListening, { ms: LISTENING_MS })]);
  listening.catch(() => {});
  return { ...program, listening };
}

/** Enrolling a thousand agents takes minutes. */
const LISTENING_MS = 15 * 60_000;

type Night = { organizations: { status: string; rowsChecked: number }[] };

/** A night's verification of an organization, by the command line. */
export async function nightOf(server: Server, orgId: string): Promise<{ status: string; rows: number }> {
  const { out, err } = await runProduct(server, ["nightly", "--org", orgId, "--json"]);
  try {
    const { organizations }: Night = JSON.parse(out);
    return { status: organizations[0]?.status ?? "nothing", rows: organizations[0]?.rowsChecked ?? 0 };
  } catch {
    return { status: `unreadable: ${err || out}`, rows: 0 };
  }
}

/** A night over an organization that must end without a fault. @returns its faults */
export async function faultsOfNight(server: Server, orgId: string): Promise<string[]> {
  const { code, out, err } = await runProduct(server, ["nightly", "--org", orgId]);
  return code === 0 ? [] : [`the night afterwards: ${code} ${out}${err}`];
}
