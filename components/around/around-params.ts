import { parseAsArrayOf, parseAsInteger, parseAsStringLiteral } from "nuqs";
import {
  AROUND_MINUTES,
  DEFAULT_AROUND_MINUTES,
  TIES,
  TIMELINE_SOURCES,
  USUAL_TIES,
} from "@/server/devices/timeline/vocabulary";

/** The page's URL parameters: /audit/ID/around?minutes=15&ties=actor,address */
export const aroundParsers = {
  minutes: parseAsInteger.withDefault(DEFAULT_AROUND_MINUTES),
  ties: parseAsArrayOf(parseAsStringLiteral(TIES)).withDefault([...USUAL_TIES]),
  sources: parseAsArrayOf(parseAsStringLiteral(TIMELINE_SOURCES)).withDefault([...TIMELINE_SOURCES]),
};

/** One of the offered values; anything else becomes the default. */
export const minutesOf = (minutes: number): number =>
  AROUND_MINUTES.find((one) => one === minutes) ?? DEFAULT_AROUND_MINUTES;
