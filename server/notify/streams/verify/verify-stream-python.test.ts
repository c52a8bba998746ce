import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { parseTrust } from "@/server/evidence/proofs/judge-proof";
import { noteTools } from "@/server/evidence/tree/note-tools";
import { FORMATS } from "@/server/notify/streams/formats";
import { damaged } from "@/testing/streams/damage";
import { chainOf } from "@/testing/streams/entries";
import { linesOf, STREAM_KEY } from "@/testing/streams/file";
import { tempFolder } from "@/testing/temp-folder";
import { StreamJudge } from "./judge";

const DRIVER = `
import json, sys
sys.path.insert(0, "docs")
from verify_stream import judge
print(json.dumps([judge([file], [sys.argv[1]]) for file in json.load(sys.stdin)]))
`;

function pythonSays(files: readonly (string | Uint8Array)[]): [string, number, string[]][] {
  const dir = tempFolder();
  const paths = files.map((_, i) => join(dir, String(i)));
  for (const [i, file] of files.entries()) writeFileSync(paths[i] ?? "", file);
  const ran = spawnSync("python3", ["-c", DRIVER, STREAM_KEY], {
    input: JSON.stringify(paths),
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  if (ran.status !== 0) throw new Error(ran.stderr);
  return JSON.parse(ran.stdout);
}

function statusOf(lines: readonly string[]): string {
  const judge = new StreamJudge();
  for (const line of lines) judge.add(line);
  const trust = parseTrust(noteTools.sha256, STREAM_KEY);
  if ("reason" in trust) throw new Error(trust.reason);
  return judge.finish(trust).status.replace("unproven", "not proven");
}

const CHAIN = chainOf([
  { details: '{"1": "Ü\\u0001\\n", "a": 1.10, "bb": [1, 20000000000000000000, {"x": "]=|\\\\"}]}' },
  { details: null, actor_email: null },
  { result: "denied", error_message: "a=b|c]\\" },
  {},
  { resource_name: "😀" },
]);

it.each(Object.entries(FORMATS))("Python reaches the same verdicts for %s files", { timeout: 60_000 }, (_, format) => {
  const files = [
    linesOf({ chain: CHAIN, format, size: 3 }),
    linesOf({ chain: CHAIN, format, size: 2, filtered: [1, 4] }),
    ...damaged({ chain: CHAIN, format }),
    ...damaged({ chain: CHAIN, format, filtered: [2] }),
  ];
  const said = pythonSays(files.map((lines) => `${lines.join("\n")}\n`));
  expect(said.map(([word]) => word)).toEqual(files.map(statusOf));
  expect(new Set(said.map(([word]) => word))).toEqual(new Set(["intact", "broken", "not proven"]));
});

it("Python reads gzip and reports what is missing", () => {
  const lines = linesOf({ chain: CHAIN, format: FORMATS.native, size: 3 });
  const [whole, torn] = pythonSays([gzipSync(lines.join("\n")), lines.toSpliced(1, 1).join("\n")]);
  expect(whole?.[0]).toBe("intact");
  expect(torn?.[2].join("\n")).toContain("missing 2");
});
