import { z } from "zod";
import { oneOrg, onePart, partShape } from "@/server/audit/schema";

const SINCE = /^(0|[1-9]\d{0,14})(?::([0-9a-f]{64}))?$/;

/** A checkpoint that the asker kept: its size, or of version 1 the sequence and checksum that it names. */
const since = z
  .string()
  .regex(SINCE, "is neither the size of a checkpoint nor SEQUENCE:CHECKSUM of one of version 1")
  .transform((text) => {
    const [, number = "", checksum] = SINCE.exec(text) ?? [];
    return { number: Number(number), checksum: checksum ?? null };
  });

/** Query of GET /audit-logs/evidence: the whole log, a range of sequences, or a range of time. */
export const evidenceInput = z.object({ orgId: oneOrg, ...partShape, since: since.optional() }).superRefine(onePart);
export type EvidenceInput = z.output<typeof evidenceInput>;
