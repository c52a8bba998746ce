import { expect, it } from "vitest";
import type { TrustSource } from "@/components/proof/check-proof";
import { COSIGNATURE, ED25519, formatVerifierKey } from "@/server/audit/tree/signed-note";
import { testKey } from "@/testing/notes";
import { repeatCommand } from "./repeat-command";

const { key } = testKey(1, "trailmark.example", ED25519);
const witness = { name: "w", key: testKey(2, "w.example", COSIGNATURE).key, url: null };
const trustSource = (over: Partial<TrustSource> = {}): TrustSource => ({
  trust: { logs: [key], witnesses: [], quorum: null },
  from: "server",
  ...over,
});

it("names the file so that a shell takes it as one word, and every key", () => {
  const command = (name: string) =>
    repeatCommand(name, trustSource()).replace(formatVerifierKey(key), "KEY").replaceAll(" \\\n ", "");
  expect(command("evidence.ndjson")).toBe("npm run trailmark -- verify evidence.ndjson --key KEY");
  expect(command("a (1) $(id).ndjson")).toBe("npm run trailmark -- verify 'a (1) $(id).ndjson' --key KEY");
  expect(command("it's")).toBe("npm run trailmark -- verify 'it'\\''s' --key KEY");
  expect(command("-x")).toBe("npm run trailmark -- verify ./-x --key KEY");
});

it("asks for the policy where a reader's own policy was used, and for the keys of the server's alone", () => {
  const trust = { logs: [key], witnesses: [witness], quorum: null };
  expect(repeatCommand("a", trustSource({ trust, from: "you" }))).toBe(
    "npm run trailmark -- verify a \\\n  --policy POLICY_FILE",
  );
  expect(repeatCommand("a", trustSource({ trust }))).toContain("--key trailmark.example+");
  const nobody = trustSource({ trust: { logs: [], witnesses: [], quorum: null }, from: "nobody" });
  expect(repeatCommand("a", nobody)).toBe("npm run trailmark -- verify a");
});
