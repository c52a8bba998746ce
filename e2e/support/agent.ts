import { setTimeout as sleep } from "node:timers/promises";

const MAX_TRIES = 5;

type Command = { id: string; name: string; params: Record<string, unknown> };
type Answer = { ok: true; data: unknown } | { ok: false; error: { code: string; message: string } };
type Joined = { agentId: string; token: string };

/** An agent at the far end of the live channel, as the server sees one: its command stream, answered by a function. */
export async function connectAgent(
  baseURL: string,
  { agentId, token }: Joined,
  answer: (command: Command) => Answer | null,
): Promise<() => void> {
  const abort = new AbortController();
  const headers = { Authorization: `Bearer ${token}` };
  const url = `${baseURL}/api/v1/agents/${agentId}/commands`;
  const open = () => fetch(url, { headers, signal: abort.signal });
  let stream = await open();
  // Asked to come again, as an agent is by a machine that is busy.
  for (let tries = 0; tries < MAX_TRIES && [408, 429, 503].includes(stream.status); tries++) {
    await sleep(1_000);
    stream = await open();
  }
  if (!stream.ok || !stream.body) throw new Error(`no command stream: ${stream.status}`);
  void listen(stream.body, async (command) => {
    const body = answer(command);
    if (!body) return;
    await fetch(`${url}/${command.id}/result`, {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
  }).catch(() => undefined); // the stream ends with the test
  return () => abort.abort();
}

async function listen(body: ReadableStream<Uint8Array>, take: (command: Command) => Promise<void>): Promise<void> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    const events = text.split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) {
      const data = event
        .split("\n")
        .filter((line) => line.startsWith("data:"))
        .map((line) => line.slice(5).trim())
        .join("\n");
      if (data) await take(JSON.parse(data) as Command);
    }
  }
}
