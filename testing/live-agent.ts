import type { Command } from "@/server/devices/live/schema";

/** A fake agent's answer: a body for the result endpoint, or undefined for none. */
export type Answerer = (command: Command) => unknown;
export type FakeAgent = {
  commands: Command[];
  comments: string[];
  /** Statuses from the result endpoint. */
  statuses: number[];
  ended: Promise<void>;
  leave: () => void;
};
type Identity = { agentId: string; token: string };

type Result = { commandId: string; body: unknown };

/** Posts one answer as an agent. */
export async function postResult(base: string, agent: Identity, { commandId, body }: Result): Promise<number> {
  const response = await fetch(`${base}/agents/${agent.agentId}/commands/${commandId}/result`, {
    method: "POST",
    headers: { authorization: `Bearer ${agent.token}`, "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  await response.arrayBuffer();
  return response.status;
}

/** An agent over HTTP: opens the command stream of a server at base (…/api/v1) and answers commands. */
export async function connectAgent(base: string, agent: Identity, answer: Answerer): Promise<FakeAgent> {
  const leaving = new AbortController();
  const response = await fetch(`${base}/agents/${agent.agentId}/commands`, {
    headers: { authorization: `Bearer ${agent.token}`, accept: "text/event-stream" },
    signal: leaving.signal,
  });
  if (!response.ok || !response.body) throw new Error(`no stream: ${response.status}`);
  const fake: Omit<FakeAgent, "ended"> = { commands: [], comments: [], statuses: [], leave: () => leaving.abort() };
  const take = async (block: string) => {
    if (block.startsWith(":")) return void fake.comments.push(block);
    const data = /^event: command\ndata: (.*)$/.exec(block)?.[1];
    if (!data) throw new Error(`not a command event: ${block}`);
    const command: Command = JSON.parse(data);
    fake.commands.push(command);
    const body = answer(command);
    if (body !== undefined) fake.statuses.push(await postResult(base, agent, { commandId: command.id, body }));
  };
  const read = async (body: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      const blocks = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) void take(block);
    }
  };
  return { ...fake, ended: read(response.body).catch(() => {}) };
}
