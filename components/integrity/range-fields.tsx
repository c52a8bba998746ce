"use client";

import { TextInput } from "@mantine/core";
import { useZone } from "../shell/zone";

export type Range = { from: Date | null; to: Date | null };

const pad = (n: number) => String(n).padStart(2, "0");

/** An instant as a datetime-local field writes it, on the clock that the reader sees. */
function toField(at: Date | null, isUtc: boolean): string {
  if (!at) return "";
  const t = isUtc ? new Date(at.getTime() + at.getTimezoneOffset() * 60_000) : at;
  return `${t.getFullYear()}-${pad(t.getMonth() + 1)}-${pad(t.getDate())}T${pad(t.getHours())}:${pad(t.getMinutes())}`;
}

function fromField(text: string, isUtc: boolean): Date | null {
  const at = new Date(isUtc ? `${text}Z` : text);
  return text && !Number.isNaN(at.getTime()) ? at : null;
}

type Props = { range: Range; onRange: (range: Range) => void; error: string | null };

/** The two ends of a range; an empty one is open. */
export function RangeFields({ range, onRange, error }: Props) {
  const { isUtc } = useZone();
  const zone = isUtc ? "UTC" : "your time";
  return (
    <>
      <TextInput
        type="datetime-local"
        label={`From (${zone})`}
        value={toField(range.from, isUtc)}
        onChange={(event) => onRange({ ...range, from: fromField(event.currentTarget.value, isUtc) })}
        error={error}
      />
      <TextInput
        type="datetime-local"
        label={`To (${zone})`}
        value={toField(range.to, isUtc)}
        onChange={(event) => onRange({ ...range, to: fromField(event.currentTarget.value, isUtc) })}
      />
    </>
  );
}
