import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { proveEntry } from "@/server/evidence/proofs/prove";
import { savedAs } from "@/server/ground/download";
import { notFound } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { narrow, requirePermission } from "@/server/ground/scope";
import { onlyIdInput } from "@/server/ground/wire";
import { getAlert } from "./alerts";

/**
 * Proofs of an alert's entries as a ZIP of .tlog-proof files, for a reader who must see no other entries; recorded.
 * @throws AppError not_found where the alert or all of its entries are gone; conflict, unavailable as for one proof
 */
export const getAlertEvidence = operation({
  permission: "audit:export",
  input: onlyIdInput,
  output: "stream",
  async run(ctx, { id }) {
    requirePermission(ctx, "detections:read");
    const { orgId, title, story } = await getAlert.run(ctx, { id });
    if (story.length === 0) throw notFound("entry of the alert");
    const own = narrow(ctx, orgId);
    // Loaded on demand, because it is large.
    const { CFB } = await import("@e965/xlsx");
    const files = CFB.utils.cfb_new();
    // Newest first: the checkpoint signed for it also covers the others.
    for (const entry of story.toReversed()) {
      const { seq, text } = await proveEntry(own.scope, { orgId, id: entry.id });
      CFB.utils.cfb_add(files, `entry-${seq}.tlog-proof`, Buffer.from(text));
    }
    const sequences = story.map(({ chainSeq }) => chainSeq);
    const about = resourceOf("detection_alert", { id, name: title });
    record(own, { action: "audit_logs.proof", orgId, ...about, details: { sequences } });
    const zip = new Uint8Array(CFB.write(files, { fileType: "zip", type: "buffer" }));
    return savedAs(`alert-${id}.zip`, "application/zip", zip);
  },
});
