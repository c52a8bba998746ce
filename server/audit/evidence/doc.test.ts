import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { canonicalPayload } from "@/server/audit/chain/chain";
import { parseNote, parseVkey, signatureBy } from "@/server/audit/chain/note";
import { keyIdOf, vkeyOf } from "@/server/audit/chain/signing-key";
import type { ChainRow } from "@/server/audit/row";
import { PAYLOAD_FIELDS } from "@/server/audit/row";
import { checkText } from "@/testing/evidence";
import { nodeBundleTools } from "./node-bundle-tools";

const doc = readFileSync("docs/evidence.md", "utf8");
const example = readFileSync("docs/example-bundle.ndjson", "utf8");
const rows = example
  .split("\n")
  .filter((line) => line.startsWith('{"type":"row"'))
  .map((line) => JSON.parse(line) as ChainRow & { checksum: string });
/** The fenced block that begins with this text. */
const block = (start: string) =>
  doc
    .split("```\n")
    .find((part) => part.startsWith(start))
    ?.replace(/\n$/, "") ?? "";

it("the guide's field table, payload and checksum are those of the example's second row", () => {
  const table = [...doc.matchAll(/^\| (\d+) \| (\w+) \| (\S+) \| (.*)\|$/gm)];
  expect(table.map(([, , name]) => name)).toEqual(PAYLOAD_FIELDS);
  const texts = table.map(([, , , , text = ""]) => text.trim().replace(/^`|`$/g, ""));
  const lengths = table.map(([, , , length]) => length);
  expect(lengths).toEqual(texts.map((text) => (text === "" ? "-" : String(Buffer.byteLength(text)))));
  const payload = `v1;${lengths.join(",")};${texts.join("")}`;
  expect(block("v1;64")).toBe(payload);
  const row = rows[1] as (typeof rows)[number];
  expect(canonicalPayload(row)).toBe(payload);
  const checksum = createHash("sha256").update(payload).digest("hex");
  expect(row.checksum).toBe(checksum);
  expect(doc).toContain(`Its checksum: \`${checksum}\``);
});

it("the guide's note is signed by the guide's key", () => {
  const note = parseNote(`${block("trailmark.contoso.example/audit/")}\n`);
  const key = parseVkey(block("trailmark.contoso.example+"));
  if (!note || !key) throw new Error("the guide has no note or key");
  const signature = signatureBy(note, key);
  expect(signature && nodeBundleTools.verify(key.publicKey, Buffer.from(note.text), signature)).toBe(true);
  expect(note.checkpoint).toMatchObject({ seq: 2, checksum: rows[1]?.checksum });
  const publicKey = Buffer.from(key.publicKey);
  expect(vkeyOf({ name: key.name, keyId: keyIdOf(key.name, publicKey), publicKey })).toBe(
    block("trailmark.contoso.example+"),
  );
});

it("the example bundle is intact, and with one letter changed broken", async () => {
  const key = block("trailmark.contoso.example+");
  expect(await checkText(example, { keys: [key] })).toMatchObject({ status: "intact", anchoredThrough: 2 });
  expect(await checkText(example)).toMatchObject({ status: "unproven", anchoredThrough: 2 });
  const forged = example.replace("Bonn", "Bern");
  expect(await checkText(forged, { keys: [key] })).toMatchObject({
    status: "broken",
    breaks: expect.arrayContaining([expect.objectContaining({ seq: 2, kind: "altered" })]),
  });
});

it.skipIf(spawnSync("python3", ["--version"]).status !== 0)("so it is to the one in Python", () => {
  const judge = (...args: string[]) => spawnSync("python3", ["docs/verify_bundle.py", ...args]).status;
  expect(judge("docs/example-bundle.ndjson", "--key", block("trailmark.contoso.example+"))).toBe(0);
  expect(judge("docs/example-bundle.ndjson")).toBe(3);
  expect(judge("docs/example-bundle.ndjson", "--key", "nonsense")).toBe(2);
  expect(judge("docs/evidence.md")).toBe(2);
});
