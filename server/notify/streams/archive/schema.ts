import { z } from "zod";
import { fullEntry, onePart, partShape } from "@/server/audit/schema";
import { adminPage, guid, instant, isoTime, pagination } from "@/server/ground/wire";

/** Query of GET /archive/objects: objects with entries in a range of time or sequences. */
export const objectsInput = z.object({ orgId: guid.optional(), ...partShape, ...adminPage }).superRefine(onePart);

/**
 * An archived object with its manifest. from and to: times of its first and last entry. digest: SHA-256 in hex. state:
 * damaged once a check found a fault. inLog: the log still has all of its entries. continues: it starts where the
 * previous object ends.
 */
export const archiveObject = z.strictObject({
  id: guid,
  orgId: guid,
  streamId: guid,
  first: z.int(),
  last: z.int(),
  from: isoTime,
  to: isoTime,
  rows: z.int(),
  bytes: z.int(),
  key: z.string(),
  digest: z.string(),
  lock: z.strictObject({ mode: z.string(), until: isoTime }).nullable(),
  state: z.enum(["intact", "damaged"]),
  fault: z.string().nullable(),
  checkedAt: isoTime,
  inLog: z.boolean(),
  continues: z.boolean(),
  createdAt: isoTime,
});
export type ArchiveObject = z.output<typeof archiveObject>;

export const objectPage = z.strictObject({ data: z.array(archiveObject), pagination });

/** Maximum entries of one restoration. */
export const MAX_RESTORED_ROWS = 100_000;

/** Body of POST /archive/restore: a range by sequence, or the objects with entries of a time range. */
export const restoreInput = z
  .strictObject({
    orgId: guid.optional(),
    from: instant.optional(),
    to: instant.optional(),
    fromSeq: z.int().positive().optional(),
    toSeq: z.int().positive().optional(),
  })
  .superRefine(onePart);
export type RestoreInput = z.output<typeof restoreInput>;

export const restorationsInput = z.strictObject({ orgId: guid.optional(), ...adminPage });

/** A range restored beside the log. state: failed if an object is damaged or its store cannot be read. */
export const restoration = z.strictObject({
  id: guid,
  orgId: guid,
  first: z.int(),
  last: z.int(),
  state: z.enum(["running", "ready", "failed"]),
  rows: z.int(),
  error: z.string().nullable(),
  createdAt: isoTime,
  expiresAt: isoTime,
});
export type Restoration = z.output<typeof restoration>;
export const restorationPage = z.strictObject({ data: z.array(restoration), pagination });

export const restoredInput = z.strictObject({ id: guid, q: z.string().min(1).max(200).optional(), ...adminPage });
export const restoredPage = z.strictObject({ restoration, data: z.array(fullEntry), pagination });
