import { type AppError, invalid } from "@/server/ground/errors";

export const fault = (message: string): AppError => invalid("yaml", message);
