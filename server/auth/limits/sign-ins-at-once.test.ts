import { expect, it, vi } from "vitest";
import { signIn } from "@/server/auth/sign-in";
import type { Ctx } from "@/server/context";

const { lookUps } = vi.hoisted(() => ({ lookUps: { now: 0, most: 0, done: [] as string[] } }));
vi.mock("@/server/auth/find-by-email", () => ({
  findByEmail: async (email: string) => {
    lookUps.most = Math.max(lookUps.most, ++lookUps.now);
    await new Promise((resolve) => setTimeout(resolve, 1));
    lookUps.now--;
    lookUps.done.push(email);
  },
}));
vi.mock("./rate-limit", () => ({ limit: async () => {}, requireAttemptsLeft: async () => {} }));
vi.mock("@/server/auth/password", () => ({ verifyPassword: async () => false }));

/** As in sign-in.ts. */
const AT_ONCE = 4;

const tryFrom = (ip: string, email: string) =>
  signIn({ ip, requestId: "r" } as Ctx, { email, password: "wrong" }, { via: "api" }).catch(
    (error: { code: string }) => error.code,
  );

it("looks up a few people at a time however many sign in, and takes networks in turn", async () => {
  const flood = Array.from({ length: 200 }, (_, n) => tryFrom("192.0.2.1", `${n}@flood.example`));
  const other = tryFrom("198.51.100.7", "ada@acme.example");
  expect(new Set(await Promise.all([...flood, other]))).toEqual(new Set(["unauthenticated"]));
  expect(lookUps.most).toBe(AT_ONCE);
  expect(lookUps.done.indexOf("ada@acme.example")).toBeLessThan(3 * AT_ONCE);
});
