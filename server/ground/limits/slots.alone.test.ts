import { afterEach, expect, test, vi } from "vitest";
import type { Actor } from "@/server/ground/context";
import { delayFactorOf, inFairShare } from "./fair-share";
import { acquireSlot, inSlot } from "./slots";

afterEach(() => void vi.unstubAllEnvs());

const agent = (id: string): Actor => ({ type: "agent", id, deviceId: id, hostname: "ws-1" });
const acquire = (id: string, kind = "exports") => acquireSlot(agent(id), { kind, max: 4, advice: "Wait." });

function stubRequired(): void {
  vi.stubEnv("DATABASE_URL", "postgres://app@127.0.0.1/none");
  vi.stubEnv("NEXTAUTH_SECRET", "s".repeat(32));
  vi.stubEnv("NEXTAUTH_URL", "http://127.0.0.1");
}

test("a caller's slots beyond the limit are refused until one is released; others are not affected", () => {
  const releases = Array.from({ length: 4 }, () => acquire("a"));
  expect(() => acquire("a")).toThrow("4 exports running");
  acquire("b")();
  acquire("a", "live views")();
  releases[0]?.();
  releases[0]?.(); // A slot is released once, however often it is said.
  acquire("a");
  expect(() => acquire("a")).toThrow("4 exports running");
});

test("whoever is refused again and again while others ask rests for longer", async () => {
  const [crowd, other] = [agent("crowd"), agent("other")];
  stubRequired();
  // Who asked within the last second asks beside others: none passes here, however busy the machine.
  const clock = vi.spyOn(performance, "now").mockReturnValue(1_000);
  await inFairShare({ actor: other }, async () => {});
  expect([delayFactorOf(crowd), delayFactorOf(other)]).toEqual([1, 0]);
  for (let i = 0; i < 4; i++) acquire("crowd");
  for (let i = 0; i < 7; i++) expect(() => acquire("crowd")).toThrow("4 exports running");
  expect(delayFactorOf(crowd)).toBe(1);
  for (let i = 0; i < 25; i++) expect(() => acquire("crowd")).toThrow("4 exports running");
  expect(delayFactorOf(crowd)).toBe(4);
  clock.mockRestore();
});

test("an agent has no signal made for a wait that it never has; a person's ends the wait", async () => {
  stubRequired();
  const signal = AbortSignal.abort(new Error("gone"));
  const made = vi.fn(() => signal);
  const caller = (actor: Actor) => ({
    actor,
    get signal() {
      return made();
    },
  });
  expect(await inFairShare(caller(agent("d")), async () => "stored")).toBe("stored");
  expect(made).not.toHaveBeenCalled();
  await expect(
    inFairShare(
      caller({ type: "user", id: "u", email: "u@a.example", name: "U", role: "org_viewer" }),
      async () => "read",
    ),
  ).rejects.toThrow("gone");
});

test("work keeps its slot until it says that it is done, and loses it where it fails", async () => {
  const slots = { kind: "bundles", max: 1, advice: "Wait." };
  const begin = <T>(work: (release: () => void) => Promise<T>) => inSlot(agent("c"), slots, work);
  await expect(begin(() => Promise.reject(new Error("no rows")))).rejects.toThrow("no rows");
  const release = await begin(async (done) => done);
  const work = vi.fn(async () => {});
  await expect(begin(work)).rejects.toThrow("1 bundles running");
  expect(work).not.toHaveBeenCalled();
  release();
  await begin(work);
  expect(work).toHaveBeenCalledOnce();
});
