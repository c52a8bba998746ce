import { createServer } from "node:http";
import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { respond } from "@/server/doors/front/respond";
import { listen } from "@/testing/port-of";

/** The answer of an export whose database goes away after the first rows. */
function broken(): Response {
  async function* rows() {
    yield "id,timestamp\r\n";
    yield `1,${"x".repeat(100_000)}\r\n`;
    throw new Error("the database went away");
  }
  const stream = Readable.toWeb(Readable.from(rows(), { objectMode: false })) as ReadableStream;
  return new Response(stream, { headers: { "Content-Type": "text/csv; charset=utf-8" } });
}

it.each(["identity", "gzip", "br"])(
  "a failed export aborts the download instead of ending early (%s)",
  async (encoding) => {
    const server = createServer((incoming, outgoing) => {
      respond(incoming, outgoing, broken()).catch(() => {});
    });
    const port = await listen(server);
    const headers = { "accept-encoding": encoding };
    const download = fetch(`http://127.0.0.1:${port}/`, { headers }).then((answer) => answer.text());
    await expect(download).rejects.toThrow();
    server.close();
  },
);
