"use client";

import { Box, Button, Group, Stack, Text, TextInput, UnstyledButton } from "@mantine/core";
import { Check } from "lucide-react";
import { type FormEvent, useState } from "react";
import { ofField, PRESET_LABEL, PRESETS, type Preset, presetSpan, type Span } from "@/components/audit/state/range";
import type { View } from "@/components/audit/state/view";
import { dateTime, zoneName } from "@/components/format/time";
import { useZone } from "@/components/format/zone";
import { toWallClock } from "@/server/ground/time/wall-clock";
import { parseTime } from "./typed-time";

/** A typed range: "last tuesday", "9-10", "3h", "oct 2026", ISO 8601, seconds since 1970. */
export function TypedRange({ onSpan }: { onSpan: (span: Span) => void }) {
  const { zone } = useZone();
  const [typed, setTyped] = useState("");
  const [isUnrecognized, setIsUnrecognized] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const span = await parseTime(typed, { zone, now: new Date() });
    setIsUnrecognized(span === null);
    if (span) onSpan(span);
  };
  return (
    <Stack component="form" className="tm-ruled" p={12} onSubmit={(event) => void submit(event)}>
      <TextInput
        label="Type a time"
        placeholder="last tuesday, 9-10, 3h, oct 2026"
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setIsUnrecognized(false);
        }}
        error={isUnrecognized ? "Not a recognized time. Try 2026-11-18, yesterday 9-10 or 3h." : null}
      />
      <Button type="submit" size="xs" ml="auto" disabled={!typed.trim()}>
        Set
      </Button>
    </Stack>
  );
}

export type RangeView = Pick<View, "range" | "from" | "to">;
type Props = { view: RangeView; onRange: (range: RangeView) => void; onDone: () => void };

/** Presets, a typed range, or two instants in the display zone. */
export function RangeChoices({ view, onRange, onDone }: Props) {
  const [now] = useState(() => new Date());
  const choose = (range: RangeView) => {
    onRange(range);
    onDone();
  };
  const pick = (range: Preset | null) => choose({ range, from: null, to: null });
  return (
    <>
      <Box component="ul" p={4}>
        {[null, ...PRESETS].map((preset) => (
          <Option key={preset ?? "all"} preset={preset} view={view} now={now} onPick={pick} />
        ))}
      </Box>
      <TypedRange onSpan={({ from = null, to = null }) => choose({ range: null, from, to })} />
      <CustomRange view={view} onDone={onDone} onRange={onRange} />
    </>
  );
}

function Option({
  preset,
  view,
  now,
  onPick,
}: {
  preset: Preset | null;
  view: RangeView;
  now: Date;
  onPick: (p: Preset | null) => void;
}) {
  const { zone } = useZone();
  const isChosen = view.range === preset && (preset !== null || !(view.from || view.to));
  const from = preset && presetSpan(preset, zone, now).from;
  return (
    <li>
      <UnstyledButton className="tm-option" aria-pressed={isChosen} onClick={() => onPick(preset)}>
        <span>{preset ? PRESET_LABEL[preset] : "All time"}</span>
        {from && (
          <Text span size="xs" fw={400} c="dimmed" ml="auto">
            from {dateTime(from, zone).slice(0, -3)}
          </Text>
        )}
        {isChosen && <Check size={14} aria-hidden />}
      </UnstyledButton>
    </li>
  );
}

function CustomRange({ view, onRange, onDone }: Props) {
  const { zone } = useZone();
  const [fromText, setFrom] = useState(view.from ? toWallClock(view.from, zone) : "");
  const [toText, setTo] = useState(view.to ? toWallClock(view.to, zone) : "");
  const from = ofField(fromText, { first: view.from, zone });
  const to = ofField(toText, { first: view.to, zone, isEnd: true });
  const isBackwards = Boolean(from && to && from > to);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isBackwards || !(from || to)) return;
    onRange({ range: null, from, to });
    onDone();
  };
  return (
    <Stack component="form" className="tm-ruled" p={12} onSubmit={submit}>
      <TextInput type="datetime-local" label="From" value={fromText} onChange={(e) => setFrom(e.currentTarget.value)} />
      <TextInput
        type="datetime-local"
        label="To"
        value={toText}
        onChange={(e) => setTo(e.currentTarget.value)}
        error={isBackwards ? "This is before the start" : null}
      />
      <Group justify="space-between" gap="sm">
        <Text span size="xs" c="dimmed">
          {zoneName(zone)}
        </Text>
        <Button type="submit" size="xs" disabled={isBackwards || !(from || to)}>
          Apply
        </Button>
      </Group>
    </Stack>
  );
}
