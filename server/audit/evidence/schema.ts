import { z } from "zod";
import { filterShape, fromBeforeTo, oneOrg } from "@/server/audit/schema";
import { positiveInt } from "@/server/wire";

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
export const evidenceInput = z
  .object({
    orgId: oneOrg,
    from: filterShape.from,
    to: filterShape.to,
    fromSeq: positiveInt.optional(),
    toSeq: positiveInt.optional(),
    since: since.optional(),
  })
  .superRefine(fromBeforeTo)
  .superRefine(({ from, to, fromSeq, toSeq }, context) => {
    const issue = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
    if (fromSeq !== undefined && toSeq !== undefined && fromSeq > toSeq) issue("fromSeq", "is after toSeq");
    if ((from || to) && (fromSeq ?? toSeq) !== undefined)
      issue(fromSeq === undefined ? "toSeq" : "fromSeq", "cannot be combined with from and to");
  });
export type EvidenceInput = z.output<typeof evidenceInput>;
