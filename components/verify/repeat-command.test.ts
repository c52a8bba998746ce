import { expect, it } from "vitest";
import type { TrustSource } from "@/components/proof/check-proof";
import { COSIGNATURE, ED25519, formatVerifierKey } from "@/server/evidence/tree/signed-note";
import { testKey } from "@/testing/notes";
import { repeatCommand } from "./verdict";

const { key } = testKey(1, "trailmark.example", ED25519);
const witness = { name: "w", key: testKey(2, "w.example", COSIGNATURE).key, url: null };
const trustSource = (over: Partial<TrustSource> = {}): TrustSource => ({
  trust: { logs: [key], witnesses: [], quorum: null },
  from: "server",
  ...over,
});

it("quotes the file name for a shell, and includes every key", () => {
  const command = (name: string) =>
    repeatCommand(name, trustSource()).replace(formatVerifierKey(key), "KEY").replaceAll(" \\\n ", "");
  expect(command("evidence.ndjson")).toBe("npm run trailmark -- verify evidence.ndjson --key KEY");
  expect(command("a (1) $(id).ndjson")).toBe("npm run trailmark -- verify 'a (1) $(id).ndjson' --key KEY");
  expect(command("it's")).toBe("npm run trailmark -- verify 'it'\\''s' --key KEY");
  expect(command("-x")).toBe("npm run trailmark -- verify ./-x --key KEY");
});

it("refers to the policy if the user gave one, otherwise to the server's keys", () => {
  const trust = { logs: [key], witnesses: [witness], quorum: null };
  expect(repeatCommand("a", trustSource({ trust, from: "you" }))).toBe(
    "npm run trailmark -- verify a \\\n  --policy POLICY_FILE",
  );
  expect(repeatCommand("a", trustSource({ trust }))).toContain("--key trailmark.example+");
  const nobody = trustSource({ trust: { logs: [], witnesses: [], quorum: null }, from: "nobody" });
  expect(repeatCommand("a", nobody)).toBe("npm run trailmark -- verify a");
});
