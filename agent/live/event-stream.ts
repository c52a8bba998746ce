export type StreamEvent = { event: string; data: string };

/** Longer than any command: a server that sends this much without an end of an event is not Trailmark. */
const MAX_EVENT_CHARACTERS = 1024 * 1024;

/** One block of an event stream (text/event-stream, HTML standard); null for comments and empty ones. */
function parseBlock(block: string): StreamEvent | null {
  let event = "message";
  const data: string[] = [];
  for (const line of block.split(/\r\n|\n|\r/)) {
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") event = value;
    if (field === "data") data.push(value);
  }
  return data.length > 0 ? { event, data: data.join("\n") } : null;
}

/** Reads an event stream. onActivity is called for every chunk, comments included. @throws when the stream breaks. */
export async function* readEvents(
  body: AsyncIterable<Uint8Array>,
  onActivity: () => void,
): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body) {
    onActivity();
    rest += decoder.decode(chunk, { stream: true });
    const blocks = rest.split(/\r\n\r\n|\n\n|\r\r/);
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = parseBlock(block);
      if (event) yield event;
    }
    if (rest.length > MAX_EVENT_CHARACTERS) throw new Error("the event stream is not one");
  }
}
