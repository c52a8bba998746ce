import { type inferParserType, parseAsInteger, parseAsString, parseAsStringLiteral } from "nuqs";
import { instantParam } from "@/components/format/instant-param";
import { LIVE_LEVELS } from "@/server/devices/live/schema";

const filterParsers = {
  liveLevel: parseAsStringLiteral(LIVE_LEVELS),
  liveSource: parseAsString,
  liveEvent: parseAsInteger,
  start: instantParam,
  end: instantParam,
};

/** The live tab's URL parameters. */
export const liveParsers = {
  log: parseAsString,
  livePage: parseAsInteger.withDefault(1),
  ...filterParsers,
  record: parseAsInteger,
};

export type LiveFilters = inferParserType<typeof filterParsers>;
type LiveView = inferParserType<typeof liveParsers>;

/** Compares by value: equal dates are different objects. */
export const isSame = (a: LiveFilters, b: LiveFilters): boolean => JSON.stringify(pick(a)) === JSON.stringify(pick(b));

const pick = ({ liveLevel, liveSource, liveEvent, start, end }: LiveFilters) => [
  liveLevel,
  liveSource,
  liveEvent,
  start,
  end,
];

/** The URL parameters as a live query. */
export const toInput = (view: LiveView) => ({
  page: view.livePage,
  level: view.liveLevel ?? undefined,
  source: view.liveSource ?? undefined,
  eventId: view.liveEvent ?? undefined,
  startTime: view.start?.toISOString(),
  endTime: view.end?.toISOString(),
});
