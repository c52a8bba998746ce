import { createParser, parseAsIsoDateTime } from "nuqs/server";
import { isInBounds } from "@/server/ground/time/bounds";

/** An instant in the URL, ISO 8601, within the server's range. */
export const instantParam = createParser({
  parse: (text) => {
    const date = parseAsIsoDateTime.parse(text);
    return date && isInBounds(date) ? date : null;
  },
  serialize: parseAsIsoDateTime.serialize,
  eq: parseAsIsoDateTime.eq,
});
