import { parseAsInteger, parseAsIsoDateTime, parseAsString, parseAsStringLiteral } from "nuqs";
import { LIVE_LEVELS } from "@/server/live-events/schema";

/** What the address says of the live tab. */
export const liveParsers = {
  log: parseAsString,
  livePage: parseAsInteger.withDefault(1),
  liveLevel: parseAsStringLiteral(LIVE_LEVELS),
  liveSource: parseAsString,
  liveEvent: parseAsInteger,
  start: parseAsIsoDateTime,
  end: parseAsIsoDateTime,
  record: parseAsInteger,
};
