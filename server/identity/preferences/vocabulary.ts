import type { AuditTable } from "./schema";

/** Preference of a person who never changed it. Without zod, which the first page does not load. */
export const NO_CHOICE: AuditTable = { columns: null, widths: {}, density: null, fold: null };
