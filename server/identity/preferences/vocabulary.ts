import type { AuditTable } from "./schema";

/** A person who has chosen nothing. Without zod, which the first page does not load. */
export const NO_CHOICE: AuditTable = { columns: null, widths: {}, density: null, fold: null };
