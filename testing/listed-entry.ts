import type { ListedEntry } from "@/server/audit/schema";

const ID = "0190a000-0000-7000-8000-000000000001";
let made = 0;

/** An entry as lists hold it: a person's change of a policy, with the members relevant to the test. */
export const listedEntry = (over: Partial<ListedEntry> = {}): ListedEntry => ({
  id: `entry-${++made}`,
  orgId: ID,
  timestamp: "2026-11-20T10:00:00.000Z",
  action: "policy.update",
  actionLabel: "updated policy",
  actorType: "user",
  category: "policy",
  result: "success",
  ipAddress: "192.0.2.1",
  userAgent: "",
  submittedBy: null,
  user: { id: ID, name: "Jane Doe", email: "jane@example.com", role: "org_admin" },
  resource: { type: "policy", id: ID, name: "Antivirus" },
  details: {},
  errorMessage: null,
  chainSeq: 7,
  ...over,
});
