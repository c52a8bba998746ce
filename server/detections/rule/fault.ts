import { type AppError, invalid } from "@/server/ground/errors";

/** What is wrong with a rule's text. */
export const fault = (message: string): AppError => invalid("yaml", message);
