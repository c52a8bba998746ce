import { toRow } from "@/server/audit/record/to-row";
import { newId } from "@/server/ground/ids";

/** A row as the recorder takes it, with the members that the test cares about. */
export const anyRow = (over: Partial<Parameters<typeof toRow>[0]> = {}) =>
  toRow({
    id: newId(),
    orgId: newId(),
    timestamp: new Date(0),
    actorType: "system",
    actorId: null,
    action: "policy.evaluate",
    resourceType: "policy",
    result: "success",
    ...over,
  });
