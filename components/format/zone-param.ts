import { createParser } from "nuqs/server";
import { isZone } from "@/server/time/wall-clock";

/** The zone in the address: `tz=utc`, or a zone's name in a link that carries its sender's. */
export const zoneParam = createParser({
  parse: (value: string) => (value === "utc" ? "UTC" : isZone(value) ? value : null),
  serialize: (zone: string) => (zone === "UTC" ? "utc" : zone),
});
