import { sentenceText } from "@/server/audit/sentence";
import { writeExact } from "@/server/ground/exact-json";
import type { Format } from "./format";

/**
 * `trailmark.entry.v1`: the columns covered by the checksum, in order and as stored, then the chain's, then readable
 * names. `details` is the stored text, because only that was hashed.
 */
export const native: Format = {
  mediaType: "application/json",
  entry({ row, entry, organization, sealedAt }) {
    const before = JSON.stringify({
      type: "trailmark.entry.v1",
      id: row.id,
      orgId: row.org_id,
      timestamp: entry.timestamp,
      actorType: row.actor_type,
      actorId: row.actor_id,
      actorEmail: row.actor_email,
      action: row.action,
      resourceType: row.resource_type,
      resourceId: row.resource_id,
      resourceName: row.resource_name,
    });
    const after = JSON.stringify({
      ipAddress: row.ip_address,
      userAgent: row.user_agent,
      result: row.result,
      errorMessage: row.error_message,
      chainSeq: entry.chainSeq,
      prevChecksum: row.prev_checksum,
      checksum: row.checksum,
      sealedAt,
      sentence: sentenceText(entry, organization.name),
      actorName: entry.user.name,
      category: entry.category,
      submittedBy: entry.submittedBy,
      orgName: organization.name,
      orgSlug: organization.slug,
    });
    return `${before.slice(0, -1)},"details":${row.details},${writeExact(after.slice(1))}`;
  },
  marker: (marker, origin) => JSON.stringify({ ...marker, origin }),
};
