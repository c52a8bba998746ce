import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { noteTools } from "@/server/evidence/tree/note-tools";
import { type Authority, startAuthority } from "@/testing/proofs/timestamp-authority";
import { isTimestampReply, newNonce, timestampOf, timestampQuery } from "./timestamp";

const TEXT =
  "trailmark.example/log/0b6f3a52-7c1e-4e0a-9d54-3f5a1c2b7e90\n7\nBNgm\nsigned-at 2026-11-20T14:06:00.000Z\n";
const MINUTE_MS = 60_000;

it("sends a 69-byte query with a positive eight-byte nonce", () => {
  const nonce = newNonce();
  const query = timestampQuery(noteTools.sha256(Buffer.from(TEXT)), nonce);
  expect(query).toHaveLength(69);
  expect(query.toString("hex")).toMatch(
    /^30430201013031300d060960864801650304020105000420[0-9a-f]{64}0208[4-7][0-9a-f]{15}0101ff$/,
  );
});

describe("with OpenSSL as the timestamp authority", () => {
  let authority: Authority;
  let clock = Date.now();
  beforeAll(async () => {
    authority = await startAuthority();
  });
  afterAll(() => authority.stop());
  beforeEach(() => {
    // Each test begins long after the pauses that failures before it caused.
    clock += 60 * MINUTE_MS;
    vi.useFakeTimers({ toFake: ["Date"], now: clock });
  });
  afterEach(() => {
    authority.answerWith(null);
    vi.useRealTimers();
  });

  it("stores a reply that OpenSSL verifies for exactly this text", async () => {
    const reply = await timestampOf(TEXT, authority.url);
    if (!reply) throw new Error("no time-stamp");
    expect(authority.verify(TEXT, reply)).toContain("Verification: OK");
    expect(() => authority.verify(`${TEXT}x`, reply)).toThrow();
  });

  it("discards refusals and replies to another query", async () => {
    const old = await timestampOf(TEXT, authority.url);
    if (!old) throw new Error("no time-stamp");
    const refusal = Buffer.from("30053003020102", "hex");
    for (const wrong of [old, refusal, Buffer.alloc(0), Buffer.from("30"), Buffer.alloc(70_000, 0x30)]) {
      vi.setSystemTime(Date.now() + 2 * MINUTE_MS);
      authority.answerWith(() => wrong);
      expect(await timestampOf(TEXT, authority.url)).toBeNull();
    }
    const digest = noteTools.sha256(Buffer.from(TEXT));
    expect(isTimestampReply(old, digest, newNonce())).toBe(false);
    const nonce = authority.queries[0]?.subarray(-11, -3) ?? newNonce();
    expect(isTimestampReply(old, noteTools.sha256(Buffer.from("other")), nonce)).toBe(false);
  });

  it("skips an unreachable authority for a minute, and asks none if none is configured", async () => {
    expect(await timestampOf(TEXT, "http://127.0.0.1:1/")).toBeNull();
    const before = authority.queries.length;
    expect(await timestampOf(TEXT, authority.url)).toBeNull();
    expect(authority.queries).toHaveLength(before);
    vi.setSystemTime(Date.now() + MINUTE_MS + 1);
    expect(await timestampOf(TEXT, authority.url)).not.toBeNull();
    expect(await timestampOf(TEXT, null)).toBeNull();
  });
});
