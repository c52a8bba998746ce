import { getDeviceLogPolicy, previewDeviceLogs, setDeviceLogPolicy } from "@/server/devices/logs/policy";
import { getPolicyStatus } from "@/server/retention/get";
import { getOverview } from "@/server/retention/overview";
import { previewPruning } from "@/server/retention/preview";
import { previewMany } from "@/server/retention/preview-many";
import { setPolicy } from "@/server/retention/set";
import { setPolicies } from "@/server/retention/set-many";
import { mutation, query, router } from "./init";

/** Every reader of the audit log sees how long it is kept; changing that needs audit:manage. */
export const retentionRouter = router({
  get: query(getPolicyStatus),
  preview: query(previewPruning),
  overview: query(getOverview),
  // A thousand ids do not fit into an address: by POST, though it changes nothing.
  previewMany: mutation(previewMany),
  setMany: mutation(setPolicies),
  set: mutation(setPolicy),
  deviceLogs: query(getDeviceLogPolicy),
  previewDeviceLogs: query(previewDeviceLogs),
  setDeviceLogs: mutation(setDeviceLogPolicy),
});
