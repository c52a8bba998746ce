import { z } from "zod";

/** A proof as a file. */
export const entryProof = z.strictObject({ fileName: z.string(), text: z.string() });
