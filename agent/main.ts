import { linkedTo } from "./abort";
import { CHECK_USAGE, checkAgent } from "./check";
import { Client } from "./client";
import { AGENT_VERSION, Diagnostics } from "./diagnostics";
import { keepCommandStream } from "./live/command-stream";
import { messageOf } from "./message-of";
import { type Options, parseOptions, USAGE, UsageError } from "./options";
import { findLogs } from "./providers/find-logs";
import { type Agent, enroll, enrollIfUnknown, flush, runOnce, runUntilStopped } from "./run";
import { UnknownAgentError } from "./ship";
import { parseSimulateOptions, SIMULATE_USAGE } from "./simulate/options";
import { simulate } from "./simulate/simulate";
import { StateFolder } from "./state";

const ONCE_ATTEMPTS = 5;
const FLUSH_DEADLINE_MS = 5_000;

async function start(options: Options, signal: AbortSignal): Promise<Agent> {
  const folder = await StateFolder.open(options.stateDir);
  const url = options.url ?? folder.state.url;
  if (!url) throw new UsageError("--url is missing");
  const diagnostics = new Diagnostics();
  const isShort = options.once || options.enrollOnly;
  const client = new Client({ url, diagnostics, signal, ...(isShort ? { maxAttempts: ONCE_ATTEMPTS } : {}) });
  client.token = folder.state.token;
  const logs = await findLogs();
  const agent = { options: { ...options, url }, folder, client, diagnostics, logs, signal };
  if (options.enrollOnly) return agent;
  if (!client.token) await enroll(agent);
  diagnostics.info("main", "started", { url, logs: logs.shipped.map((log) => log.key ?? log.name) });
  return agent;
}

/** Sends buffered diagnostics with a separate client: the first one's requests end with the signal. */
async function stop(agent: Agent): Promise<void> {
  agent.diagnostics.info("main", "stopping");
  const { url } = agent.options;
  const signal = AbortSignal.timeout(FLUSH_DEADLINE_MS);
  const client = new Client({ url, diagnostics: agent.diagnostics, signal, maxAttempts: 1 });
  client.token = agent.client.token;
  await flush({ ...agent, client, signal });
}

/** Ships logs and answers live queries in parallel, until the signal. */
async function serve(agent: Agent): Promise<void> {
  const { options, folder, client, diagnostics, logs } = agent;
  const ending = linkedTo(agent.signal);
  const { signal } = ending;
  const answering = keepCommandStream({
    url: options.url,
    token: client.token ?? "",
    agentId: folder.state.agentId,
    diagnostics,
    logs: logs.live,
    signal,
  });
  try {
    await runUntilStopped(agent);
  } finally {
    ending.abort();
    await answering;
  }
}

async function runSimulation(args: string[], signal: AbortSignal): Promise<number> {
  if (args.includes("--help")) return print(SIMULATE_USAGE, 0);
  await simulate(parseSimulateOptions(args), signal);
  return 0;
}

async function runCheck(args: string[]): Promise<number> {
  if (args.includes("--help")) return print(CHECK_USAGE, 0);
  return checkAgent(args, (line) => print(line, 0));
}

const USAGES: Record<string, string> = { check: CHECK_USAGE, simulate: SIMULATE_USAGE };

/** @returns the exit code: 0 done, 1 not possible, 2 wrong usage, 3 unknown to the server. */
async function main(args: string[]): Promise<number> {
  const stopping = new AbortController();
  for (const name of ["SIGTERM", "SIGINT"] as const) process.once(name, () => stopping.abort());
  try {
    if (args[0] === "check") return await runCheck(args.slice(1));
    if (args[0] === "simulate") return await runSimulation(args.slice(1), stopping.signal);
    const options = parseOptions(args);
    if (options.help) return print(USAGE, 0);
    if (options.version) return print(AGENT_VERSION, 0);
    const agent = await start(options, stopping.signal);
    if (options.enrollOnly) {
      const isNew = await enrollIfUnknown(agent);
      return print(isNew ? `enrolled as ${agent.folder.state.agentId}` : "this machine is enrolled already", 0);
    }
    if (options.once) {
      const { sent, stored, refused } = await runOnce(agent);
      if (agent.client.failing) return print("the server cannot be reached; the rest is shipped next time", 1);
      return print(`shipped ${sent} events: ${stored} new, ${sent - stored - refused} known, ${refused} refused`, 0);
    }
    await serve(agent);
    await stop(agent);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) return print(`${error.message}\n\n${USAGES[args[0] ?? ""] ?? USAGE}`, 2);
    if (error instanceof UnknownAgentError) return print(`The server turned this agent away: ${error.message}`, 3);
    return print(messageOf(error), 1);
  }
}

function print(text: string, code: number): number {
  (code === 0 ? process.stdout : process.stderr).write(`${text}\n`);
  return code;
}

// No top-level await: the single-file executables contain this as CommonJS.
void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
