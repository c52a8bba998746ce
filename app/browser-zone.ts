import "server-only";

import { cookies } from "next/headers";
import { ZONE_COOKIE } from "@/components/format/time";
import { isZone } from "@/server/ground/time/wall-clock";

/** Time zone from the browser's cookie, decoded by Next; null if missing or unknown. */
export async function browserZone(): Promise<string | null> {
  const zone = (await cookies()).get(ZONE_COOKIE)?.value ?? "";
  return isZone(zone) ? zone : null;
}
