"use client";

import { useQueryState } from "nuqs";
import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { ZONE_COOKIE } from "./time";
import { zoneParam } from "./zone-param";

const YEAR_SECONDS = 31_536_000;
const ZoneContext = createContext("UTC");

/**
 * The reader's time zone. The browser leaves it in a cookie, so that the server writes the same times into the page
 * as the browser would and nothing jumps when the page comes alive.
 */
export function ZoneProvider({ initial, children }: { initial: string | null; children: ReactNode }) {
  const [zone, setZone] = useState(initial ?? "UTC");
  useEffect(() => {
    const local = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
    if (local === initial) return;
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every supported browser.
    document.cookie = `${ZONE_COOKIE}=${encodeURIComponent(local)}; path=/; max-age=${YEAR_SECONDS}; samesite=lax`;
    setZone(local);
  }, [initial]);
  return <ZoneContext value={zone}>{children}</ZoneContext>;
}

/** The zone that times are shown in: the reader's own, or the one that the address names (`tz`). */
export function useZone() {
  const local = useContext(ZoneContext);
  const [chosen, setChosen] = useQueryState("tz", zoneParam);
  return {
    zone: chosen ?? local,
    local,
    setZone: (zone: string) => setChosen(zone === local ? null : zone),
    setUtc: (utc: boolean) => setChosen(utc && local !== "UTC" ? "UTC" : null),
  };
}
