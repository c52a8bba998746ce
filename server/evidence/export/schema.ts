import { z } from "zod";
import { oneOrg, onePart, partShape } from "@/server/audit/schema";

/** Size of a checkpoint that the caller kept. */
const since = z
  .string()
  .regex(/^(0|[1-9]\d{0,14})$/, "is not the size of a checkpoint")
  .transform(Number);

/** Query of GET /audit-logs/evidence: the whole log, a range of sequences, or a range of time. */
export const evidenceInput = z
  .object({ orgId: oneOrg, ...partShape, since: since.optional(), despite: z.literal("alarm").optional() })
  .superRefine(onePart);
export type EvidenceInput = z.output<typeof evidenceInput>;
