"use client";

import { useEffect, useState } from "react";
import { flushSync } from "react-dom";
import { useMe } from "@/components/account/org";
import { dateTime, zoneName } from "@/components/format/time";
import { useZone } from "@/components/format/zone";
import classes from "./frame.module.css";

/** Shown only in print: who printed the page, and when. */
export function PrintedBy() {
  const { user } = useMe();
  const { zone } = useZone();
  const [at, setAt] = useState<Date | null>(null);
  useEffect(() => {
    const onPrint = () => flushSync(() => setAt(new Date()));
    window.addEventListener("beforeprint", onPrint);
    return () => window.removeEventListener("beforeprint", onPrint);
  }, []);
  return (
    <p className={classes.printed}>
      Printed by {user.name} ({user.email}){at && `, ${dateTime(at, zone)} (${zoneName(zone, at)})`}
    </p>
  );
}
