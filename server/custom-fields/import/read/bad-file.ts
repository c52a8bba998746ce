import { AppError } from "@/server/ground/errors";

/** A fault of a file that completes the sentence "The file …". */
export const badFile = (message: string) =>
  new AppError("validation_failed", `The file ${message}.`, { errors: [{ path: "file", message }] });
