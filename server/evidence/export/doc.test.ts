import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { PAYLOAD_FIELDS } from "@/server/audit/row";
import type { BundleRow } from "@/server/evidence/chain/chain";
import { canonicalPayload } from "@/server/evidence/chain/chain";
import { checkText, createBundle, witness } from "@/testing/evidence/bundles";

const doc = readFileSync("docs/evidence.md", "utf8");
const example = readFileSync("docs/example-bundle.ndjson", "utf8");
const rows = example
  .split("\n")
  .filter((line) => line.startsWith('{"type":"row"'))
  .map((line) => JSON.parse(line) as BundleRow);
/** The fenced block that begins with this text. */
const block = (start: string) =>
  doc
    .split("```\n")
    .find((part) => part.startsWith(start))
    ?.replace(/\n$/, "") ?? "";

it("the guide's field table, payload and checksum match the example's second row", () => {
  const table = [...doc.matchAll(/^\| (\d+) \| (\w+) \| (\S+) \| (.*)\|$/gm)];
  expect(table.map(([, , name]) => name)).toEqual(PAYLOAD_FIELDS);
  const texts = table.map(([, , , , text = ""]) => text.trim().replace(/^`|`$/g, ""));
  const lengths = table.map(([, , , length]) => length);
  expect(lengths).toEqual(texts.map((text) => (text === "" ? "-" : String(Buffer.byteLength(text)))));
  const payload = `v1;${lengths.join(",")};${texts.join("")}`;
  expect(block("v1;64")).toBe(payload);
  const row = rows[1] as (typeof rows)[number];
  expect(Buffer.from(canonicalPayload(row)).toString()).toBe(payload);
  const checksum = createHash("sha256").update(payload).digest("hex");
  expect(row.checksum).toBe(checksum);
  expect(doc).toContain(`Its checksum: \`${checksum}\``);
});

it("the guide's example bundle and checkpoint match the writer's output", () => {
  expect(createBundle({ rows: rows, witnesses: [witness] })).toBe(example);
  const { note } = JSON.parse(example.split("\n")[1] ?? "");
  expect(`${block("trailmark.contoso.example/log/")}\n`).toBe(note);
});

it("the example bundle is intact, and broken after one changed letter", async () => {
  const key = block("trailmark.contoso.example+");
  expect(await checkText(example, { keys: [key] })).toMatchObject({ status: "intact", anchoredThrough: 2 });
  expect(await checkText(example)).toMatchObject({ status: "unproven", anchoredThrough: 2 });
  expect(await checkText(example.replace("Bonn", "Bern"), { keys: [key] })).toMatchObject({
    status: "broken",
    breaks: expect.arrayContaining([expect.objectContaining({ seq: 2, kind: "altered" })]),
  });
  const python = (...args: string[]) => spawnSync("python3", ["docs/verify_bundle.py", ...args]).status;
  expect(python("docs/example-bundle.ndjson", "--key", key)).toBe(0);
  expect(python("docs/example-bundle.ndjson")).toBe(3);
  expect(python("docs/example-bundle.ndjson", "--key", "nonsense")).toBe(2);
  expect(python("docs/evidence.md")).toBe(2);
});
