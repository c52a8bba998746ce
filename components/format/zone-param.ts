import { createParser } from "nuqs/server";
import { isZone } from "@/server/ground/time/wall-clock";

/** The time zone in the URL: `tz=utc`, or a zone's name in a copied link. */
export const zoneParam = createParser({
  parse: (value: string) => (value === "utc" ? "UTC" : isZone(value) ? value : null),
  serialize: (zone: string) => (zone === "UTC" ? "utc" : zone),
});
