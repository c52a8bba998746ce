import "server-only";

import { cookies } from "next/headers";
import { ZONE_COOKIE } from "@/components/format/time";
import { isZone } from "@/server/ground/time/wall-clock";

/** The time zone that the browser told in its cookie, which Next has decoded; null without one that exists. */
export async function browserZone(): Promise<string | null> {
  const zone = (await cookies()).get(ZONE_COOKIE)?.value ?? "";
  return isZone(zone) ? zone : null;
}
