import { z } from "zod";

const MAX_COLUMNS = 40;
const MIN_COLUMN_PX = 48;
const MAX_COLUMN_PX = 960;
const DENSITIES = ["compact", "normal"] as const;

const columnId = z.string().regex(/^[a-z][A-Za-z]{0,29}$/, "is no column's name");

/** A person's audit table: columns and order, widths (pixels), row height. */
export const auditTable = z.strictObject({
  columns: z.array(columnId).min(1).max(MAX_COLUMNS).nullable(),
  widths: z
    .record(columnId, z.int().min(MIN_COLUMN_PX).max(MAX_COLUMN_PX))
    .refine((widths) => Object.keys(widths).length <= MAX_COLUMNS, `holds more than ${MAX_COLUMNS} widths`),
  density: z.enum(DENSITIES).nullable(),
  /** Whether repeats and routine telemetry are folded. */
  fold: z.boolean().nullable(),
});
export type AuditTable = z.infer<typeof auditTable>;

export const getInput = z.strictObject({ key: z.enum(["audit.table"]) });
/** Changed members of a preference; the others stay. */
export const setInput = z.discriminatedUnion("key", [
  z.strictObject({ key: z.literal("audit.table"), value: auditTable.partial() }),
]);
