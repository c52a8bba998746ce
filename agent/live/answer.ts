import { messageOf } from "@/agent/message-of";
import type { LiveLogs, Page } from "@/agent/providers/provider";
import { type Command, type CommandResult, command } from "@/server/devices/live/schema";

/** Below the server's 5 MiB, leaving room for the envelope. */
const MAX_ANSWER_BYTES = 4.5 * 1024 * 1024;

const refusal = (code: string, message: string): CommandResult => ({ ok: false, error: { code, message } });

/** Cuts long messages equally until the page fits into one request. */
function fitting(page: Page): Page {
  let { events } = page;
  for (let max = 32_768; Buffer.byteLength(JSON.stringify(events)) > MAX_ANSWER_BYTES && max > 64; max /= 2)
    events = events.map((event) => ({ ...event, message: event.message.slice(0, max) }));
  return { ...page, events };
}

async function run(logs: LiveLogs, wanted: Command): Promise<CommandResult> {
  if (wanted.name === "eventlogs.list") {
    const described = await Promise.allSettled((await logs.list()).map((log) => log.describe()));
    return { ok: true, data: { logs: described.flatMap((log) => (log.status === "fulfilled" ? [log.value] : [])) } };
  }
  const log = await logs.find(wanted.params.logName);
  if (!log) return refusal("not_found", "there is no such log");
  if (wanted.name === "eventlogs.query") return { ok: true, data: fitting(await log.query(wanted.params)) };
  const entry = await log.get(wanted.params.recordId);
  return entry ? { ok: true, data: entry } : refusal("not_found", "there is no such record");
}

/** Answers a `command` event; errors of this machine become answers too. */
export async function answer(logs: LiveLogs, data: unknown): Promise<CommandResult> {
  const parsed = command.safeParse(data);
  if (!parsed.success) return refusal("unsupported", "this agent does not know the command");
  try {
    return await run(logs, parsed.data);
  } catch (error) {
    const isGone = error instanceof Error && "code" in error && error.code === "ENOENT";
    return isGone ? refusal("not_found", "there is no such log") : refusal("failed", messageOf(error));
  }
}
