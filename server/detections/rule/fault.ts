import { type AppError, invalid } from "@/server/ground/errors";

/** A fault in a rule's text. */
export const fault = (message: string): AppError => invalid("yaml", message);
