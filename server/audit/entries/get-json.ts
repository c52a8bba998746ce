import { z } from "zod";
import { writeExact } from "@/server/ground/exact-json";
import { operation } from "@/server/ground/operation";
import { idInput } from "@/server/ground/wire";
import { getRow } from "./get";
import { toFullEntry } from "./to-entry";

/**
 * One audit entry in the full format as the text of its JSON, whose numbers have every digit that was recorded: a page's
 * own numbers are doubles.
 * @throws AppError not_found when it is missing or belongs to another organization.
 */
export const getEntryJson = operation({
  permission: "audit:read",
  input: idInput,
  output: z.strictObject({ json: z.string() }),
  async run(ctx, { id }) {
    return { json: writeExact(JSON.stringify(toFullEntry(await getRow(ctx, id)), null, 2)) };
  },
});
