"use client";

import { dateTime, shortDate, timeTooltip } from "./time";
import { useZone } from "./zone";

/** An instant in the display zone; the tooltip includes UTC. Null is shown as text. */
export function When({
  at,
  none = "Never",
  dateOnly = false,
}: {
  at: string | null;
  none?: string;
  dateOnly?: boolean;
}) {
  const { zone, local } = useZone();
  if (!at) return <span style={{ color: "var(--tm-quiet)" }}>{none}</span>;
  return (
    <time dateTime={at} title={timeTooltip(at, local)}>
      {dateOnly ? shortDate(at, zone) : dateTime(at, zone)}
    </time>
  );
}
