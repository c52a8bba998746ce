import { expect, test } from "vitest";
import type { Caller } from "@/server/ground/context";
import type { Permission } from "@/server/ground/permissions";
import { orRemembered } from "./recording-keys";

const holding = (...permissions: Permission[]): Caller => ({
  actor: { type: "api_key", id: "k", name: "k" },
  scope: { kind: "organization", orgIds: ["o"], partnerId: "p" },
  permissions: new Set(permissions),
  homeOrgId: "o",
});
const silent = () => new Promise<Caller | null>(() => {});
const away = () => Promise.reject(new Error("away"));

test("a recording key still works for recording while the database is slow or down", async () => {
  await orRemembered("a", Promise.resolve(holding("audit:write", "audit:read")));
  for (const looking of [silent, away])
    expect([...((await orRemembered("a", looking()))?.permissions ?? [])]).toEqual(["audit:write"]);
});

test("the database's answer replaces a remembered key immediately", async () => {
  await orRemembered("b", Promise.resolve(holding("audit:write")));
  expect(await orRemembered("b", Promise.resolve(null))).toBeNull();
  await expect(orRemembered("b", away())).rejects.toThrow("away");
});

test("a key without permission to record is never remembered", async () => {
  await orRemembered("c", Promise.resolve(holding("audit:read")));
  await expect(orRemembered("c", away())).rejects.toThrow("away");
});
