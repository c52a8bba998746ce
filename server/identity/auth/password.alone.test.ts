import { expect, it, vi } from "vitest";
import { hashChosen, hashPassword, MAX_AT_ONCE, verifyPassword } from "./password";

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

it("verifies passwords correctly, only a few at a time", async () => {
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

it("shares password checks fairly between networks", async () => {
  const stored = await hashPassword("right");
  let tried = 0;
  const flood = Array.from({ length: 100 }, () => verifyPassword(stored, "wrong", "192.0.2.1").then(() => tried++));
  expect(await verifyPassword(stored, "right", "198.51.100.7")).toBe(true);
  expect(tried).toBeLessThanOrEqual(2 * MAX_AT_ONCE);
  await Promise.all(flood);
});

const jane = { email: "jane.doelittle@contoso.example", name: "Jane Doelittle" };

it.each([
  "aaaaaaaaaaaa",
  "password1234",
  "Password123!",
  "qwertyuiop12",
  "            ",
  "Jane Doelittle",
  "jane.doelittle@contoso.example",
  "a".repeat(200),
])("rejects %j as too easy to guess", async (password) => {
  await expect(hashChosen(password, jane, "newPassword")).rejects.toMatchObject({
    code: "validation_failed",
    message: expect.stringContaining("newPassword: is easy to guess"),
  });
});

it.each(["correct horse battery", "Zk3vQ8pLr6sT", "an even longer password"])(
  "accepts %j as a password",
  async (password) => {
    expect(await hashChosen(password, jane)).toBe(`hash of ${password}`);
  },
);
