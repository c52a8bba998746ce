import { AppError } from "@/server/ground/errors";

/** What is wrong with a file, as the end of the sentence "The file …". */
export const badFile = (message: string) =>
  new AppError("validation_failed", `The file ${message}.`, { errors: [{ path: "file", message }] });
