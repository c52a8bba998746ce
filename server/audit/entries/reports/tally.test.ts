import { expect, it } from "vitest";
import { newId } from "@/server/ground/ids";
import type { ReportRow } from "./report-rows";
import { Tally } from "./reports";

const actor_id = newId();
const row = (actor_email: string | null): ReportRow => ({
  action: "device.create",
  actor_type: "user",
  actor_id,
  raw_id: null,
  actor_email,
  ms: 0,
  org_id: newId(),
  chain_seq: "1",
  submitted: false,
});

it("names a person without a current address by an earlier one", () => {
  const tally = new Tally(new Map());
  for (const email of [null, "u0@example.test", "u1@example.test"]) tally.add(row(email));
  expect(tally.users()).toMatchObject([{ userName: "u0@example.test", userEmail: "u0@example.test", actionCount: 3 }]);
});
