import { afterEach, expect, it, vi } from "vitest";
import { POST as create } from "@/app/api/v1/audit-logs/exports/route";
import { LostLease } from "@/server/ground/lease";
import { call, createUser } from "@/testing/factories";
import { claimExport, finishExport, renewLease } from "./lease";

afterEach(() => {
  vi.useRealTimers();
});

it("an export that a process with a slow clock writes is not taken by another one", async () => {
  const { id } = (await call(create, { token: await createUser(), body: { format: "json" } })).body;
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 60_000 });
  const row = await claimExport();
  if (!row || row.id !== id) throw new Error("another export was waiting");
  vi.useRealTimers();
  expect(await claimExport()).toBeUndefined();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 60_000 });
  await renewLease(row);
  vi.useRealTimers();
  expect(await claimExport()).toBeUndefined();
  await finishExport(row, { status: "failed", error: "It was a test." });
  await expect(renewLease(row)).rejects.toThrow(LostLease);
});
