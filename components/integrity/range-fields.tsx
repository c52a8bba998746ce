"use client";

import { TextInput } from "@mantine/core";
import { zoneName } from "@/components/format/time";
import { useZone } from "@/components/format/zone";
import { fromWallClock, toWallClock } from "@/server/ground/time/wall-clock";

type Range = { from: Date | null; to: Date | null };
type Props = { range: Range; onRange: (range: Range) => void; error: string | null };

/** The ends of a range in the display zone; an empty one is open. */
export function RangeFields({ range, onRange, error }: Props) {
  const { zone } = useZone();
  const field = (end: "from" | "to", label: string) => ({
    type: "datetime-local",
    label: `${label} (${zoneName(zone, range[end])})`,
    value: range[end] ? toWallClock(range[end], zone) : "",
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) => {
      const at = Date.parse(`${value}Z`);
      onRange({ ...range, [end]: Number.isNaN(at) ? null : fromWallClock(at, zone) });
    },
  });
  return (
    <>
      <TextInput {...field("from", "From")} error={error} />
      <TextInput {...field("to", "To")} />
    </>
  );
}
