import { causeOf, codeOf } from "./thrown";

/** True for PostgreSQL's unique_violation, also if wrapped by Drizzle. */
export const isDuplicate = (error: unknown): boolean => codeOf(causeOf(error)) === "23505";
