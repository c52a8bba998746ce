import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Ran, startNode } from "@/testing/program";
import type { Server } from "@/testing/server";

/** Programs beside the server under test. */

const built = (name: string): string => join("dist", `${name}.mjs`);

/** The built command line on a data folder. */
export const startProduct = (dataDir: string, args: string[], env: Record<string, string> = {}) =>
  startNode([built("trailmark"), ...args], { env: { TRAILMARK_DATA_DIR: dataDir, ...env } });

/** The built command line on the data folder of a running server, until it ends. */
export const runProduct = ({ dataDir }: Server, args: string[]): Promise<Ran> => startProduct(dataDir, args).ended;

const optionsOf = (options: Record<string, string | number>): string[] =>
  Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);

type Connected = { base: string };

/** The reference agent, until it is ended. */
export const startAgent = ({ base }: Connected, key: string, options: Record<string, string | number>) =>
  startNode([built("agent"), ...optionsOf({ url: base, "enrollment-key": key, ...options })], { env: process.env });

/** Many simulated agents, and when all of them listen. */
export function simulateAgents({ base }: Connected, key: string, options: Record<string, string | number>) {
  const given = optionsOf({ url: base, "enrollment-key": key, ...options });
  const program = startNode([built("agent"), "simulate", ...given], { env: process.env });
  const late = sleep(LISTENING_MS, undefined, { ref: false }).then(() => {
    throw new Error("the agents do not listen");
  });
  const listening = Promise.race([program.said(/listening/), late]);
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
