import { readFile } from "node:fs/promises";
import { readOptions, serverUrl, UsageError } from "./options";

export const CHECK_USAGE = `Usage: npm run agent -- check --url URL --device ID --api-key-file FILE

Checks the agent of a device against docs/agents.md through a server, while it runs: its heartbeat, what it
ships and its answers to live queries. The key needs devices:read and devices:live; - reads it from standard
input. Exit codes: 0 every check passed, 1 one failed, 2 wrong usage.`;

const REQUEST_TIMEOUT_MS = 40_000;

type Answer = { status: number; body: Record<string, unknown> };
type Ask = (path: string) => Promise<Answer>;
type Finding = { check: string; fault: string | null };

/** @throws UsageError when an option is unknown or missing. */
async function parseCheckOptions(args: string[]): Promise<{ url: string; device: string; key: string }> {
  const text = { type: "string" } as const;
  const { url, device, "api-key-file": file } = readOptions(args, { url: text, device: text, "api-key-file": text });
  if (!url || !device || !file) throw new UsageError("--url, --device and --api-key-file are needed");
  const key = (await readFile(file === "-" ? "/dev/stdin" : file, "utf8")).trim();
  return { url: serverUrl(url), device, key };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const listOf = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** Error of an unexpected answer, with the members it names. */
function refusal({ status, body }: Answer): string {
  const members = listOf(body.errors).map(({ path, message }) => `${path} ${message}`);
  return [`${status} ${body.code ?? ""}`.trim(), body.detail, ...members].filter(Boolean).join("; ");
}

const isNewestFirst = (times: number[]): boolean => times.every((time, i) => i === 0 || time <= (times[i - 1] ?? time));

async function checkShipping(ask: Ask, report: (finding: Finding) => void): Promise<void> {
  const device = await ask("");
  const isSeen = device.status === 200 && device.body.online === true;
  const seen = device.body.lastSeenAt ?? "never";
  const away = device.status === 200 ? `the device is offline; last sign of life: ${seen}` : refusal(device);
  report({ check: "heartbeat", fault: isSeen ? null : away });
  for (const [path, name] of [
    ["/diagnostic-logs?limit=1", "diagnostics"],
    ["/eventlogs?limit=100", "events"],
  ] as const) {
    const answer = await ask(path);
    const rows = listOf(answer.body.data ?? answer.body.logs);
    const none = answer.status === 200 ? "none has arrived yet" : refusal(answer);
    report({ check: name, fault: rows.length > 0 ? null : none });
    if (name !== "events" || rows.length === 0) continue;
    const bare = rows.filter(({ eventId }) => typeof eventId !== "string" || eventId === "").length;
    const fault = bare > 0 ? `${bare} of ${rows.length} have no eventId, so a retry stores them twice` : null;
    report({ check: "events can be sent again", fault });
  }
}

async function checkLog(ask: Ask, name: string, report: (finding: Finding) => void): Promise<void> {
  const path = `/eventlogs/${encodeURIComponent(name)}`;
  const page = await ask(`${path}/events?limit=5`);
  if (page.status !== 200) return report({ check: `query of ${name}`, fault: refusal(page) });
  const entries = listOf(page.body.data);
  const times = entries.map(({ timeCreated }) => Date.parse(String(timeCreated)));
  const unread = times.some(Number.isNaN) ? "timeCreated is no ISO 8601 time" : null;
  const fault = unread ?? (isNewestFirst(times) ? null : "entries are not newest first");
  report({ check: `query of ${name}`, fault: entries.length > 5 ? "more entries than limit" : fault });
  const level = entries[0]?.level;
  if (typeof level === "string") {
    const filtered = await ask(`${path}/events?limit=5&level=${level}`);
    const others = listOf(filtered.body.data).filter((entry) => entry.level !== level).length;
    const wrong = others > 0 ? `${others} entries have another level than ${level}` : null;
    report({ check: `level filter of ${name}`, fault: filtered.status === 200 ? wrong : refusal(filtered) });
  }
  const id = entries[0]?.recordId;
  if (id === undefined) return;
  const one = await ask(`${path}/events/${id}`);
  const same = isObject(one.body.data) && one.body.data.recordId === id;
  const other = one.status === 200 ? "another entry was answered" : refusal(one);
  report({ check: `entry ${id} of ${name}`, fault: same ? null : other });
}

async function checkLive(ask: Ask, report: (finding: Finding) => void): Promise<void> {
  const list = await ask("/live-eventlogs");
  const logs = listOf(list.body.data);
  const none = list.status === 200 ? "the list is empty" : refusal(list);
  report({ check: "list of logs", fault: logs.length > 0 ? null : none });
  for (const { name } of logs.slice(0, 5)) await checkLog(ask, String(name), report);
  if (list.status !== 200) return;
  const missing = await ask("/eventlogs/no-such-log/events");
  const fault = missing.status === 404 ? null : `expected the error not_found: ${refusal(missing)}`;
  report({ check: "an unknown log", fault });
}

/** Prints a line per check. @returns the exit code: 0 every check passed, 1 one failed. @throws UsageError */
export async function checkAgent(args: string[], print: (line: string) => void): Promise<number> {
  const { url, device, key } = await parseCheckOptions(args);
  const ask: Ask = async (path) => {
    const response = await fetch(`${url}/api/v1/devices/${encodeURIComponent(device)}${path}`, {
      headers: { Authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const body: unknown = await response.json();
    return { status: response.status, body: isObject(body) ? body : {} };
  };
  let failed = 0;
  const report = ({ check, fault }: Finding): void => {
    if (fault) failed += 1;
    print(fault ? `FAIL ${check}: ${fault}` : `ok   ${check}`);
  };
  await checkShipping(ask, report);
  await checkLive(ask, report);
  print(failed === 0 ? "The agent conforms." : `${failed} checks failed.`);
  return failed === 0 ? 0 : 1;
}
