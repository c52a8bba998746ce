import { env } from "@/server/ground/env";
import { unknownVariables } from "@/server/ground/unknown-variables";
import { type Command, readArgs, say } from "@/server/run/cli/command";
import { unusableFolder, userName } from "@/server/run/process/data-folder/rights";
import { prepareEnvironment } from "@/server/run/process/prepare";
import { checkDatabase } from "./database";
import { checkKey, checkSpool, checkWitnesses } from "./files";
import type { Finding } from "./finding";

const MARKS = { ok: "ok   ", warn: "WARN ", fail: "FAIL " };

function checkDataFolder(): Finding {
  const { TRAILMARK_DATA_DIR: dir } = env();
  const unusable = unusableFolder(dir);
  if (!unusable) return { level: "ok", about: "data folder", detail: dir };
  return { level: "fail", about: "data folder", detail: `${unusable} cannot be read and written by ${userName()}` };
}

/** Looks at everything that this installation rests on and changes nothing. */
export const doctor: Command = {
  usage: "[--json]",
  summary: "check environment, database, roles, chain, spool, keys and checkpoints; exit code 1 when something fails",
  async run(args) {
    const { values } = readArgs(args, { json: { type: "boolean" } });
    const embedded = await prepareEnvironment();
    try {
      env();
      const findings: Finding[] = [
        { level: "ok", about: "environment", detail: embedded ? "embedded PostgreSQL" : "PostgreSQL of DATABASE_URL" },
        ...unknownVariables().map((detail): Finding => ({ level: "warn", about: "environment", detail })),
        checkDataFolder(),
        ...(await checkDatabase()),
        checkSpool(),
        checkKey(),
        checkWitnesses(),
      ];
      if (values.json) say(JSON.stringify(findings));
      else for (const { level, about, detail } of findings) say(`${MARKS[level]} ${about.padEnd(18)} ${detail}`);
      return findings.some((f) => f.level === "fail") ? 1 : 0;
    } finally {
      await embedded?.stop();
    }
  },
};
