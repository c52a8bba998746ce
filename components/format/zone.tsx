"use client";

import { useQueryState } from "nuqs";
import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { ZONE_COOKIE } from "./time";
import { zoneParam } from "./zone-param";

/** The time zones that the browser supports, plus the current value if it is not among them. */
export function zoneChoices(present?: string | null): string[] {
  const known = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];
  return present && !known.includes(present) ? [present, ...known] : known;
}

const YEAR_SECONDS = 31_536_000;
const ZoneContext = createContext("UTC");

/**
 * Provides the user's time zone. The browser stores it in a cookie, so that the server renders the same times and
 * hydration changes nothing.
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

/** The time zone for display: the one in the URL (`tz`), otherwise the user's own. */
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
