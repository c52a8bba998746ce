import { homedir } from "node:os";
import { join } from "node:path";
import { type ParseArgsConfig, parseArgs } from "node:util";
import { messageOf } from "./message-of";

export type Options = {
  url: string | undefined;
  enrollmentKey: string | undefined;
  /** A file with the key on its first line; "-" is standard input. */
  enrollmentKeyFile: string | undefined;
  /** Enroll if necessary, then exit. */
  enrollOnly: boolean;
  stateDir: string;
  once: boolean;
  /** Seconds between readings of the machine's logs. */
  interval: number;
  sourceSystem: string | undefined;
  sourceDeviceId: string | undefined;
  help: boolean;
  version: boolean;
};

export const USAGE = `Usage: trailmark-agent --url URL --enrollment-key-file FILE [options]
       npm run agent -- … in a checkout

  --url URL                the server, for example http://127.0.0.1:3000
  --enrollment-key-file FILE
                           holds the key (tme_…), needed on the first run only; - reads it from standard input
  --enrollment-key KEY     the key itself, which every user of this machine can see while the agent runs
  --enroll                 enroll this machine if it is not enrolled, then exit
  --state-dir DIR          where identity and progress are kept (default ~/.trailmark-agent)
  --interval SECONDS       how often events are shipped (default 120)
  --once                   ship what there is, then exit
  --source-system NAME     with --source-device-id: what another RMM product calls this device
  --source-device-id ID
  --version
  --help

trailmark-agent check … checks the agent of a device; see trailmark-agent check --help
trailmark-agent simulate … drives many simulated agents; see trailmark-agent simulate --help`;

/** Wrong usage, with a message for the command line. */
export class UsageError extends Error {}

const DEFAULT_INTERVAL_SECONDS = 120;

/** An http address without trailing slash. @throws UsageError */
export function serverUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    throw new UsageError(`--url: ${text} is no http address`);
  return url.href.replace(/\/+$/, "");
}

type Allowed = NonNullable<ParseArgsConfig["options"]>;

/** Values of options. @throws UsageError for an unknown or incomplete one. */
export function readOptions<const O extends Allowed>(args: string[], options: O) {
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

/** @throws UsageError for an unknown, incomplete or invalid option. */
export function parseOptions(args: string[]): Options {
  const text = { type: "string" } as const;
  const flag = { type: "boolean", default: false } as const;
  const values = readOptions(args, {
    url: text,
    "enrollment-key": text,
    "enrollment-key-file": text,
    enroll: flag,
    "state-dir": text,
    interval: text,
    "source-system": text,
    "source-device-id": text,
    once: flag,
    help: flag,
    version: flag,
  });
  const interval = Number(values.interval ?? DEFAULT_INTERVAL_SECONDS);
  if (!(interval >= 1 && interval <= 86_400)) throw new UsageError("--interval takes 1 to 86400 seconds");
  if (!values["source-system"] !== !values["source-device-id"])
    throw new UsageError("--source-system and --source-device-id go together");
  if (values["enrollment-key"] && values["enrollment-key-file"])
    throw new UsageError("--enrollment-key and --enrollment-key-file: give one of them");
  return {
    url: values.url === undefined ? undefined : serverUrl(values.url),
    enrollmentKey: values["enrollment-key"],
    enrollmentKeyFile: values["enrollment-key-file"],
    enrollOnly: values.enroll,
    stateDir: values["state-dir"] ?? join(homedir(), ".trailmark-agent"),
    once: values.once,
    interval,
    sourceSystem: values["source-system"],
    sourceDeviceId: values["source-device-id"],
    help: values.help,
    version: values.version,
  };
}
