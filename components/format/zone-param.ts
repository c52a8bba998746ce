import { createParser } from "nuqs/server";
import { isZone } from "./time";

/** The zone that an address asks for: `tz=utc`, or a zone's name in a link that carries its sender's. */
export const zoneParam = createParser({
  parse: (value: string) => (value === "utc" ? "UTC" : isZone(value) ? value : null),
  serialize: (zone: string) => (zone === "UTC" ? "utc" : zone),
});
