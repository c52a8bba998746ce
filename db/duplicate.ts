import { causeOf, codeOf } from "./thrown";

/** True for PostgreSQL's unique_violation, also where Drizzle has wrapped it. */
export const isDuplicate = (error: unknown): boolean => codeOf(causeOf(error)) === "23505";
