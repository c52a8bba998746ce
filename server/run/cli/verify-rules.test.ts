import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { runHere } from "@/testing/cli";
import type { Case } from "@/testing/evidence/python";
import { RULES } from "@/testing/evidence/rules";
import { REFUSED_PROOFS } from "@/testing/proofs/refused";
import { tempFolder } from "@/testing/temp-folder";
import { EXIT_CODE } from "./show-verdict";
import { verify } from "./verify";

const dir = tempFolder();

const fileOf = (name: string, text: string | Uint8Array): string => {
  writeFileSync(join(dir, name), text);
  return join(dir, name);
};

type Given = Omit<Case, "policy"> & { policy?: string | null };

/** The command's exit code and the verdict that it prints; misuse where it refuses its options. */
async function verdictOf({ text, keys = [], policy, since }: Given): Promise<{ code: unknown; status: string }> {
  const args = [
    fileOf("evidence", text),
    ...keys.flatMap((key) => ["--key", key]),
    ...(policy ? ["--policy", fileOf("policy", policy)] : []),
    ...(since ? ["--since", fileOf("since", since)] : []),
    "--json",
  ];
  const { code, out, isMisuse } = await runHere(verify, ...args);
  return { code, status: isMisuse ? "misuse" : JSON.parse(out).status };
}

it.each(RULES)("verify gives the same verdict as every verifier: $name, $verdict", async ({ verdict, ...given }) => {
  const code = verdict === "misuse" ? 2 : EXIT_CODE[verdict];
  expect(await verdictOf(given)).toEqual({ code, status: verdict });
});

it.each(REFUSED_PROOFS)("verify reports a proof that violates the format as broken: %#", async (given) => {
  expect(await verdictOf(given)).toEqual({ code: 1, status: "broken" });
});

it("verify reads an archive's compressed object as its bundle", async () => {
  const text = gzipSync(readFileSync("docs/example-bundle.ndjson"));
  expect(await verdictOf({ text })).toEqual({ code: 3, status: "unproven" });
  expect(await verdictOf({ text: text.subarray(0, text.length - 100) })).toMatchObject({ status: "unreadable" });
});
