import { env } from "@/server/ground/env";
import { AppError } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { noInput } from "@/server/ground/wire";
import { agentFiles } from "./agent-files";
import { type Installers, installers, type ScriptName } from "./schema";

const SCRIPTS: ScriptName[] = ["install.sh", "install.ps1"];

/** With what a device can be enrolled here: the installers' version, programs and digests, or why there are none. */
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
