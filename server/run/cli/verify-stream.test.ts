import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { FORMATS } from "@/server/notify/streams/formats";
import { runHere } from "@/testing/cli";
import { chainOf } from "@/testing/streams/entries";
import { linesOf, STREAM_KEY } from "@/testing/streams/file";
import { tempFolder } from "@/testing/temp-folder";
import { verifyStream } from "./verify-stream";

const dir = tempFolder();

const fileOf = (name: string, content: string | Uint8Array): string => {
  writeFileSync(join(dir, name), content);
  return join(dir, name);
};

const run = (...args: string[]) => runHere(verifyStream, ...args);

const CHAIN = chainOf([{}, {}, { action: "user.login" }, {}]);
const LINES = linesOf({ chain: CHAIN, format: FORMATS.native, size: 2 });
const textOf = (lines: readonly string[]): string => `${lines.join("\r\n")}\r\n`;

it("reads a receiver's rotated and compressed files as one stream", async () => {
  const older = fileOf(
    "audit.log.1.gz",
    Buffer.concat([gzipSync(textOf(LINES.slice(0, 1))), gzipSync(textOf(LINES.slice(1, 2)))]),
  );
  const newer = fileOf("audit.log", textOf(LINES.slice(2)));
  const { code, out } = await run(newer, older, "--key", STREAM_KEY);
  expect(out).toContain("INTACT: trailmark.northwind.example/log/");
  expect(out).toMatch(/Entries +4, sequence 1 to 4/);
  expect(out).toMatch(/Signed +through sequence 4/);
  expect(code).toBe(0);
});

it("names missing entries and exits 1", async () => {
  const { code, out } = await run(fileOf("torn", textOf(LINES.toSpliced(1, 1))), "--key", STREAM_KEY);
  expect(out).toMatch(/^BROKEN/);
  expect(out).toMatch(/Missing +2\n/);
  expect(code).toBe(1);
});

it("exits 3 without a key, and prints JSON on request", async () => {
  const { code, out } = await run(fileOf("whole", textOf(LINES)), "--json");
  expect(JSON.parse(out)).toMatchObject({ status: "unproven", chains: [{ entries: 4, missing: [] }] });
  expect(code).toBe(3);
});

it.each([
  ["a file without stream lines", "hello\n"],
  ["a truncated gzip file", gzipSync(textOf(LINES)).subarray(0, 200)],
])("exits 2 for %s", async (_, content) => {
  const { code, err } = await run(fileOf("unreadable", content));
  expect(err).toMatch(/^UNREADABLE/);
  expect(code).toBe(2);
});

it("rejects a call without a file", async () => {
  expect(await run()).toMatchObject({ isMisuse: true });
});
