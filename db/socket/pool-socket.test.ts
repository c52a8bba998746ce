import fc from "fast-check";
import { expect, it } from "vitest";
import { PoolSocket } from "./pool-socket";

function message(letter: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(letter);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
const errorMessage = (severity: string, code: string) =>
  message("E", Buffer.from(`S${severity}\0V${severity}\0C${code}\0Mwhat happened\0\0`));

const LET_IN = [
  message("R", Buffer.alloc(4)),
  message("S", Buffer.from("TimeZone\0UTC\0")),
  message("Z", Buffer.from("I")),
];
/** Rows may hold any bytes, also those of an error. */
const row = fc
  .oneof(fc.uint8Array({ maxLength: 40 }), fc.constant(errorMessage("FATAL", "57P01")))
  .map((bytes) => message("D", Buffer.from(bytes)));
const answer = fc.oneof(
  row,
  fc.constantFrom(errorMessage("ERROR", "23505"), errorMessage("WARNING", "01000"), message("Z", Buffer.from("I"))),
);

/** Lets a socket receive bytes in pieces of these sizes; what it handed on, and the error that it ended with. */
async function receive(bytes: Buffer, sizes: number[]): Promise<{ handedOn: Buffer; code: unknown }> {
  const socket = new PoolSocket();
  const chunks: Buffer[] = [];
  let code: unknown;
  socket
    .on("data", (chunk) => chunks.push(chunk))
    .on("error", (error: Error & { code?: string }) => (code = error.code));
  socket.expectMessages();
  for (let at = 0, i = 0; at < bytes.length && !socket.destroyed; i++) {
    const size = sizes[i % sizes.length] ?? 1;
    socket.emit("data", bytes.subarray(at, at + size));
    at += size;
  }
  if (!socket.destroyed) return { handedOn: Buffer.concat(chunks), code };
  await new Promise((resolve) => socket.once("close", resolve));
  return { handedOn: Buffer.concat(chunks), code };
}

const sizes = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 8 });

it("passes on every byte for any fragmentation", () =>
  fc.assert(
    fc.asyncProperty(fc.array(answer), sizes, async (answers, pieces) => {
      const bytes = Buffer.concat([...LET_IN, ...answers]);
      expect(await receive(bytes, pieces)).toEqual({ handedOn: bytes, code: undefined });
    }),
  ));

it("turns a FATAL error into its own, passes on earlier bytes and closes", () =>
  fc.assert(
    fc.asyncProperty(fc.array(answer), fc.constantFrom("FATAL", "PANIC"), sizes, async (answers, severity, pieces) => {
      const last = errorMessage(severity, "57P01");
      const before = Buffer.concat([...LET_IN, ...answers]);
      const { handedOn, code } = await receive(Buffer.concat([before, last]), pieces);
      expect(code).toBe("57P01");
      expect(handedOn.subarray(0, before.length)).toEqual(before);
      expect(handedOn.length).toBeLessThan(before.length + last.length);
    }),
  ));

it("treats any error before authentication as a refused connection", async () => {
  for (const severity of ["FATAL", "ERROR"])
    expect(await receive(Buffer.concat([LET_IN[0] as Buffer, errorMessage(severity, "28000")]), [7])).toMatchObject({
      code: "28000",
    });
});

it("recognizes a FATAL error by the older field alone", async () => {
  const last = message("E", Buffer.from("SFATAL\0C08P01\0Mquery_wait_timeout\0\0"));
  expect(await receive(Buffer.concat([...LET_IN, last]), [1_000, 1])).toMatchObject({ code: "08P01" });
});
