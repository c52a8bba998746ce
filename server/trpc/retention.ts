import { getPolicyStatus } from "@/server/retention/get";
import { getOverview } from "@/server/retention/overview";
import { previewPruning } from "@/server/retention/preview";
import { setPolicy } from "@/server/retention/set";
import { mutation, query, router } from "./init";

/** Everybody who reads the audit log sees how long it is kept; changing that needs audit:manage. */
export const retentionRouter = router({
  get: query(getPolicyStatus),
  preview: query(previewPruning),
  overview: query(getOverview),
  set: mutation(setPolicy),
});
