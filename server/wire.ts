import { z } from "zod";

/** Zod atoms that several domains share; what one domain alone needs stands in its schema. */

/** Of an operation that takes nothing. */
export const noInput = z.strictObject({}).optional();
