import { actionLabel } from "@/server/audit/action-label";
import { categoryOf } from "@/server/audit/actions";
import type { FullEntry } from "@/server/audit/schema";
import { ZERO_UUID } from "@/server/ground/context";

/** An entry for a rule; what is not given is filled in. */
export function entryOf(over: Partial<FullEntry> = {}): FullEntry {
  const action = over.action ?? "device.delete";
  return {
    id: ZERO_UUID,
    orgId: ZERO_UUID,
    timestamp: "2026-11-20T12:00:00.000Z",
    action,
    actionLabel: actionLabel(action),
    actorType: "user",
    category: categoryOf(action),
    result: "success",
    ipAddress: "203.0.113.7",
    userAgent: "",
    submittedBy: null,
    user: {
      id: "b1f0c1de-0000-4000-8000-000000000001",
      name: "Jane Doe",
      email: "jane@example.test",
      role: "org_admin",
    },
    resource: { type: "device", id: "", name: "WS-042" },
    details: {},
    errorMessage: null,
    checksum: "",
    prevChecksum: null,
    chainSeq: 1,
    ...over,
  };
}
