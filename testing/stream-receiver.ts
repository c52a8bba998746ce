import { type Answered, type Incoming, startHttpDouble } from "./http-double";

/** A line of a stream in native format: an entry, or the end of a batch. */
export type ReceivedLine = { type: string; id: string; orgId: string; chainSeq: number } & Record<string, unknown>;
type Received = Incoming & { lines: ReceivedLine[] };

/** Parses a body: lines, or an array. */
function linesOf(text: string): ReceivedLine[] {
  if (text.startsWith("[")) return JSON.parse(text);
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** A receiver of streams on loopback: 2xx counts as stored, and so does a cut, which the sender cannot know. */
export async function startStreamReceiver() {
  const received: Received[] = [];
  const stored: ReceivedLine[] = [];
  const { url, close } = await startHttpDouble((incoming) => {
    const one = { ...incoming, lines: linesOf(incoming.text) };
    received.push(one);
    const answer = receiver.answer(one);
    if (typeof answer !== "object" || (answer.status >= 200 && answer.status < 300)) stored.push(...one.lines);
    return answer;
  });
  const receiver = {
    ...{ url: `${url}/in`, received, stored, close },
    answer: (_: Received): Answered => ({ status: 204 }),
    entriesOf: (orgId: string) => stored.filter((line) => line.type === "trailmark.entry.v1" && line.orgId === orgId),
    markersOf: (orgId: string) => stored.filter((line) => line.type === "trailmark.batch" && line.orgId === orgId),
  };
  return receiver;
}

export type StreamReceiver = Awaited<ReturnType<typeof startStreamReceiver>>;
