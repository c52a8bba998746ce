import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { drain } from "./drain";

/** As postgres.js makes it: what is read next wakes the socket, which is gone once the connection is lost. */
function copyOf(chunks: string[], socket: { resume: () => void } | null): Readable {
  const stream = new Readable({ read: () => {} });
  for (const chunk of chunks) stream.push(chunk);
  stream.push(null);
  stream._read = () => {
    if (!socket) throw new TypeError("Cannot read properties of null (reading 'resume')");
    socket.resume();
  };
  return stream;
}

it("passes on every piece and wakes the socket for the next query", async () => {
  const pieces: string[] = [];
  let woken = 0;
  await drain(copyOf(["a", "b"], { resume: () => woken++ }), (chunk) => pieces.push(String(chunk)));
  expect(pieces.join("")).toBe("ab");
  expect(woken).toBeGreaterThan(0);
});

it("rejects when the connection is lost after the last row", async () => {
  const stream = new Readable({ read: () => {} });
  const drained = drain(stream, () => {});
  stream.push("a");
  stream._read = () => {
    throw new TypeError("Cannot read properties of null (reading 'resume')");
  };
  stream.push(null);
  await expect(drained).rejects.toThrow("the connection to the database was lost");
});
