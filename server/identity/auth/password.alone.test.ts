import { expect, it, vi } from "vitest";
import { hashPassword, MAX_AT_ONCE, verifyPassword } from "./password";

/** As in password.ts and limits/fair-share.ts: how long one waits at most, and how many wrong ones are a crowd. */
const [MAX_WAIT_MS, CROWD] = [30_000, 8];

const { atOnce, work } = vi.hoisted(() => {
  const atOnce = { now: 0, most: 0 };
  const work = async <T>(result: T): Promise<T> => {
    atOnce.most = Math.max(atOnce.most, ++atOnce.now);
    await new Promise((resolve) => setImmediate(resolve));
    atOnce.now--;
    return result;
  };
  return { atOnce, work };
});
vi.mock("@node-rs/argon2", () => ({
  hash: (password: string) => work(`hash of ${password}`),
  verify: (hashed: string, password: string) => work(hashed === `hash of ${password}`),
}));

it("works on a few passwords at a time, however many are tried, and tells right from wrong", async () => {
  const stored = await hashPassword("right");
  const tried = Array.from({ length: 40 }, (_, n) =>
    verifyPassword(n % 4 ? stored : null, n % 2 ? "right" : "wrong", "192.0.2.1"),
  );
  const created = Array.from({ length: 10 }, () => hashPassword("new"));
  const found = await Promise.all(tried);
  await Promise.all(created);
  expect(found).toEqual(found.map((_, n) => n % 2 === 1));
  expect(atOnce.most).toBe(MAX_AT_ONCE);
});

it("lets a network rest between wrong passwords once it has tried several, and no one between right ones", async () => {
  const stored = await hashPassword("right");
  const timers = vi.spyOn(globalThis, "setTimeout");
  // Wrong ones are forgotten after a second or two: none passes here, however busy the machine.
  let now = performance.now();
  const clock = vi.spyOn(performance, "now").mockImplementation(() => ++now);
  const delayFactorOf = async (password: string, from: string) => {
    timers.mockClear();
    await Promise.all(Array.from({ length: 20 }, () => verifyPassword(stored, password, from)));
    return timers.mock.calls.filter(([, ms]) => ms !== MAX_WAIT_MS).length;
  };
  expect(await delayFactorOf("right", "203.0.113.1")).toBe(0);
  expect(await delayFactorOf("wrong", "203.0.113.2")).toBeGreaterThanOrEqual(20 - CROWD);
  timers.mockRestore();
  clock.mockRestore();
});

it("takes networks in turn: whoever tries a hundred passwords is not before someone else who signs in", async () => {
  const stored = await hashPassword("right");
  let tried = 0;
  const flood = Array.from({ length: 100 }, () => verifyPassword(stored, "wrong", "192.0.2.1").then(() => tried++));
  expect(await verifyPassword(stored, "right", "198.51.100.7")).toBe(true);
  expect(tried).toBeLessThanOrEqual(2 * MAX_AT_ONCE);
  await Promise.all(flood);
});
