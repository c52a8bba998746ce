import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { PAYLOAD_FIELDS } from "@/server/audit/row";
import type { BundleRow } from "@/server/evidence/chain/bundle";
import { canonicalPayload } from "@/server/evidence/chain/chain";
import { parseNote, signatureBy } from "@/server/evidence/chain/note";
import { keyIdOf, vkeyOf } from "@/server/evidence/chain/signing-key";
import { parseVerifierKey } from "@/server/evidence/tree/signed-note";
import { checkText, createBundle, witness } from "@/testing/evidence/bundles";
import { noteTools } from "@/testing/notes";
import { nodeBundleTools } from "./node-bundle-tools";

const doc = readFileSync("docs/evidence.md", "utf8");
const docV1 = readFileSync("docs/evidence-v1.md", "utf8");
const example = readFileSync("docs/example-bundle.ndjson", "utf8");
const exampleV1 = readFileSync("docs/example-bundle-v1.ndjson", "utf8");
const rows = example
  .split("\n")
  .filter((line) => line.startsWith('{"type":"row"'))
  .map((line) => JSON.parse(line) as BundleRow);
/** The fenced block that begins with this text. */
const block = (start: string, text = doc) =>
  text
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

it("the guide of version 1 has a note that its key signed", () => {
  const vkey = block("trailmark.contoso.example+", docV1);
  const note = parseNote(`${block("trailmark.contoso.example/audit/", docV1)}\n`);
  const key = parseVerifierKey(noteTools.sha256, vkey);
  if (!note || !key) throw new Error("the guide has no note or key");
  const signature = signatureBy(note, { name: key.name, keyId: Buffer.from(key.id, "hex") });
  expect(signature && nodeBundleTools.verify(key.publicKey, Buffer.from(note.text), signature)).toBe(true);
  expect(note.checkpoint).toMatchObject({ seq: 2, checksum: rows[1]?.checksum });
  const publicKey = Buffer.from(key.publicKey);
  expect(vkeyOf({ name: key.name, keyId: keyIdOf(key.name, publicKey), publicKey })).toBe(vkey);
});

it("the example is what the writer makes of its rows, and its checkpoint stands in the guide", () => {
  expect(createBundle({ rows: rows, witnesses: [witness] })).toBe(example);
  const { note } = JSON.parse(example.split("\n")[1] ?? "");
  expect(`${block("trailmark.contoso.example/log/")}\n`).toBe(note);
});

it("the example bundles are intact, and with one letter changed broken, to all verifiers", async () => {
  for (const [file, text, key] of [
    ["docs/example-bundle.ndjson", example, block("trailmark.contoso.example+")],
    ["docs/example-bundle-v1.ndjson", exampleV1, block("trailmark.contoso.example+", docV1)],
  ] as const) {
    expect(await checkText(text, { keys: [key] })).toMatchObject({ status: "intact", anchoredThrough: 2 });
    expect(await checkText(text)).toMatchObject({ status: "unproven", anchoredThrough: 2 });
    expect(await checkText(text.replace("Bonn", "Bern"), { keys: [key] })).toMatchObject({
      status: "broken",
      breaks: expect.arrayContaining([expect.objectContaining({ seq: 2, kind: "altered" })]),
    });
    const python = (...args: string[]) => spawnSync("python3", ["docs/verify_bundle.py", ...args]).status;
    expect(python(file, "--key", key)).toBe(0);
    expect(python(file)).toBe(3);
    expect(python(file, "--key", "nonsense")).toBe(2);
    expect(python("docs/evidence.md")).toBe(2);
  }
});
