import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempFolder } from "@/testing/temp-folder";

/** A file under a trust, for every verifier. */
export type Case = { text: string | Uint8Array; keys?: string[]; policy?: string; since?: string };

const DRIVER = `
import json, sys
sys.path.insert(0, "docs")
import verify_bundle as v
for line in sys.stdin:
    case = json.loads(line)
    print(json.dumps(v.judge(case["file"], case["keys"], case["policy"], case["since"])))
`;

/** The Python verifier's verdicts, in one process: word, exit code, sentences. */
export function judgedByPython(cases: readonly Case[]): [string, number, string[]][] {
  const dir = tempFolder();
  try {
    const input = cases.map(({ text, keys = [], policy = null, since = null }, i) => {
      const file = join(dir, `${i}.ndjson`);
      writeFileSync(file, text);
      return JSON.stringify({ file, keys, policy, since });
    });
    const ran = spawnSync("python3", ["-c", DRIVER], { input: input.join("\n"), encoding: "utf8", maxBuffer: 2 ** 28 });
    if (ran.status !== 0) throw new Error(`python3 did not run: ${ran.error?.message ?? ran.stderr}`);
    return ran.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** Python's words for verdicts. */
export const PYTHON_WORD = {
  intact: "intact",
  empty: "empty",
  broken: "broken",
  unproven: "not proven",
  unreadable: "unreadable",
};
