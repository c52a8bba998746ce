import { once } from "node:events";
import { isIPv6 } from "node:net";
import { hostname } from "node:os";
import { codeOf, toError } from "@/db/thrown";
import { sha256 } from "@/server/evidence/tree/note-tools";
import { ED25519, parseVerifierKey, type VerifierKey } from "@/server/evidence/tree/signed-note";
import { createWitness } from "@/server/evidence/witness/serve";
import { DamagedKey, loadCosigner } from "@/server/evidence/witness/store";
import { type Command, readArgs, required, say, UsageError } from "./command";

const DEFAULT_LISTEN = "127.0.0.1:8787";

function logKey(text: string): VerifierKey {
  const key = parseVerifierKey(sha256, text);
  if (key?.type !== ED25519) throw new UsageError(`--log: "${text}" is not a verifier key of a log (NAME+ID+BASE64).`);
  return key;
}

function addressOf(text: string): { host: string; port: number } {
  const [, host, digits] = /^\[?([^\]]+)\]?:(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (!host || !(port >= 0 && port <= 65_535)) throw new UsageError(`--listen: "${text}" is not HOST:PORT.`);
  return { host, port };
}

const NO_FOLDER = new Map([
  ["EEXIST", "it is not a folder"],
  ["ENOTDIR", "it is not a folder"],
  ["ENOENT", "no folder can be made there"],
  ["EACCES", "this user may not write there"],
  ["EPERM", "this user may not write there"],
  ["EROFS", "nothing can be written there"],
]);
const NO_ADDRESS = new Map([
  ["EADDRINUSE", "another program listens there"],
  ["EADDRNOTAVAIL", "this machine has no such address"],
  ["ENOTFOUND", "this machine has no such address"],
  ["EACCES", "this user may not listen there"],
]);

/** A system error of an option, in words. */
function refused(option: string, error: unknown, why: ReadonlyMap<string, string>): Error {
  const code = codeOf(error);
  return code ? new UsageError(`${option} cannot be used: ${why.get(code) ?? code}.`) : toError(error);
}

function cosignerOf(folder: string, name: string) {
  try {
    return loadCosigner(folder, name);
  } catch (error) {
    throw error instanceof DamagedKey ? error : refused(`--dir: ${folder}`, error, NO_FOLDER);
  }
}

/** Runs a witness until it is stopped: no configuration, no database. */
export const witness: Command = {
  usage: `--log VERIFIER_KEY... --dir DIR [--listen ${DEFAULT_LISTEN}] [--name NAME]`,
  summary: "cosign the checkpoints of other installations, so that their history cannot be exchanged unnoticed",
  async run(args) {
    const { values } = readArgs(args, {
      log: { type: "string", multiple: true },
      dir: { type: "string" },
      listen: { type: "string", default: DEFAULT_LISTEN },
      name: { type: "string" },
    } as const);
    const logs = (values.log ?? []).map(logKey);
    if (logs.length === 0) throw new UsageError("--log is needed.");
    const name = values.name ?? `${hostname()}/witness`;
    if (/[\s+]/.test(name)) throw new UsageError("--name: must not hold spaces or +.");
    const folder = required(values.dir, "--dir");
    const { host, port } = addressOf(values.listen);
    const { vkey, ...cosigner } = cosignerOf(folder, name);
    const server = createWitness({ logs, folder, cosigner });
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => server.close());
    server.listen(port, host);
    await once(server, "listening").catch((error) => {
      throw refused(`--listen: ${values.listen}`, error, NO_ADDRESS);
    });
    const at = server.address();
    const heard = typeof at === "object" && at ? at.port : port;
    say(`Witness    ${name}`);
    say(`Key        ${vkey}`);
    say(`Listening  http://${isIPv6(host) ? `[${host}]` : host}:${heard}/add-checkpoint`);
    for (const log of logs) say(`Log        ${log.name} and every log below it`);
    await once(server, "close");
    return 0;
  },
};
