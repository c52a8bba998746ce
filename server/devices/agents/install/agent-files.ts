import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { asFile, type Download } from "@/server/ground/download";
import { env } from "@/server/ground/env";
import { AppError } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { noInput } from "@/server/ground/wire";
import { type Build, build, type Installers, installers, type ScriptName } from "./schema";

/** Output folder of `npm run agent:build`. */
const BUILD_FOLDER = join(process.cwd(), "dist", "agent");
/** Script templates in the checkout. */
const SCRIPT_FOLDER = join(process.cwd(), "agent", "install");

const NOT_BUILT = "Agent installers are not built yet. Run npm run agent:build on the server.";
const BAD_ADDRESS =
  "NEXTAUTH_URL of this server is no address that can stand in a script: http or https, a host, a port.";

const TYPES: Record<ScriptName, string> = {
  "install.sh": "text/x-shellscript; charset=utf-8",
  "install.ps1": "text/plain; charset=utf-8",
};

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/**
 * The server's configured address, never one from a request. Scripts that run as root contain it in single quotes, so
 * only host and port characters are allowed; the URL standard permits quotes and dollar signs in hosts.
 * @throws AppError not_found
 */
export function publicOrigin(address: string): string {
  const { origin } = new URL(address);
  if (/^https?:\/\/([a-z0-9.-]+|\[[0-9a-f:]+\])(:\d{1,5})?$/.test(origin)) return origin;
  throw new AppError("not_found", BAD_ADDRESS);
}

/** A script contains its own digest, in a line that the digest does not cover. */
const withoutSelf = (text: string): string => text.replace(/^SELF='.*\n/m, "");

/** Fills the address and a build's programs into a script; their digests authenticate its downloads. */
function fillScript(template: string, origin: string, { version, files }: Build): string {
  const programs = files.map((f) => `${f.platform} ${f.file} ${f.sha256} ${f.programSha256} ${f.bytes}`).join("\n");
  const values: Record<string, string> = { SERVER: origin, VERSION: version, PROGRAMS: programs };
  const filled = template.replace(/@(SERVER|VERSION|PROGRAMS)@/g, (_, name: string) => values[name] ?? "");
  return filled.replace("@SELF@", sha256(withoutSelf(filled)));
}

/** A script that prints why the agent cannot be installed, in a fixed sentence without shell syntax. */
function refusal(name: ScriptName, error: unknown): string {
  if (!(error instanceof AppError)) throw error;
  return name === "install.sh" ? `#!/bin/sh\necho '${error.message}' >&2\nexit 1\n` : `throw '${error.message}'\n`;
}

/** Public files for machines to enroll: scripts, programs and their manifest. */
export function agentFiles(folder = BUILD_FOLDER, address = env().NEXTAUTH_URL) {
  /** @throws AppError not_found without a build of this version */
  async function readBuild(): Promise<Build> {
    const text = await readFile(join(folder, "manifest.json"), "utf8").catch(() => null);
    const parsed = text === null ? null : build.safeParse(parse(text));
    if (!parsed?.success) throw new AppError("not_found", NOT_BUILT);
    return parsed.data;
  }

  /** Always returns a script: without a build, one that prints the reason and fails. */
  async function script(name: ScriptName): Promise<Download> {
    const template = await readFile(join(SCRIPT_FOLDER, name), "utf8");
    const body = await readBuild().then(
      (build) => fillScript(template, publicOrigin(address), build),
      (error: unknown) => refusal(name, error),
    );
    return asFile(TYPES[name], body);
  }

  async function manifest(): Promise<Download> {
    return asFile("application/json", JSON.stringify(await readBuild(), null, 2));
  }

  /**
   * A program named in the manifest; no other name becomes a path.
   * @throws AppError not_found
   */
  async function program(name: string): Promise<Download> {
    const { files, licenses } = await readBuild();
    const found = [...files, licenses].find(({ file }) => file === name);
    if (!found) throw new AppError("not_found", "There is no such program; /agent/manifest.json lists them.");
    const path = join(folder, found.file);
    const size = await stat(path).then(
      (s) => s.size,
      () => -1,
    );
    if (size !== found.bytes) throw new AppError("not_found", NOT_BUILT);
    return { type: "application/gzip", sha256: found.sha256, path, bytes: found.bytes };
  }

  return { build: readBuild, script, manifest, program };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const SCRIPTS: ScriptName[] = ["install.sh", "install.ps1"];

/** Data for enrolling a device here: the installers' version, programs and digests, or why there are none. */
export const getInstallers = operation({
  permission: "agents:enroll",
  input: noInput,
  output: installers,
  async run(): Promise<Installers> {
    const files = agentFiles();
    const url = new URL(env().NEXTAUTH_URL).origin;
    try {
      const [build, ...scripts] = await Promise.all([files.build(), ...SCRIPTS.map((name) => files.script(name))]);
      const digests = SCRIPTS.map((name, i) => ({ name, sha256: scripts[i]?.sha256 ?? "" }));
      return { url, build, scripts: digests, problem: null };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { url, build: null, scripts: [], problem: error.message };
    }
  },
});
