"use client";

import { Button, NumberInput, Select, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { RangeFields } from "@/components/integrity/range-fields";
import { LIVE_LEVELS } from "@/server/devices/live/schema";
import { capitalized, MAX_FILTER_LENGTH } from "@/server/ground/text";
import classes from "./live.module.css";
import { isSame, type LiveFilters } from "./live-params";

const LEVELS = LIVE_LEVELS.map((value) => ({ value, label: capitalized(value) }));

type Props = { filters: LiveFilters; onSubmit: (filters: LiveFilters) => void; isRunning: boolean };

/** Filters of a live query. The device is queried on submit, not on every key press. */
export function LiveFilterForm({ filters, onSubmit, isRunning }: Props) {
  const [shown, setShown] = useState(filters);
  const [draft, setDraft] = useState(filters);
  // The address has other filters than those that the draft began with: sent, or gone back to.
  if (!isSame(shown, filters)) {
    setShown(filters);
    setDraft(filters);
  }
  const set = (part: Partial<LiveFilters>) => setDraft({ ...draft, ...part });
  const isBackward = Boolean(draft.start && draft.end && draft.start > draft.end);
  const send = (event: FormEvent) => {
    event.preventDefault();
    onSubmit(draft);
  };
  return (
    <form className={classes.filters} onSubmit={send} aria-label="Filters">
      <Select
        label="Level"
        placeholder="Any level"
        data={LEVELS}
        value={draft.liveLevel}
        onChange={(liveLevel) => set({ liveLevel })}
        clearable
        clearButtonProps={{ "aria-label": "Any level" }}
        w={150}
      />
      <TextInput
        label="Source"
        value={draft.liveSource ?? ""}
        onChange={(event) => set({ liveSource: event.currentTarget.value || null })}
        maxLength={MAX_FILTER_LENGTH}
        w={170}
      />
      <NumberInput
        label="Event ID"
        value={draft.liveEvent ?? ""}
        onChange={(value) => set({ liveEvent: typeof value === "number" ? value : null })}
        allowDecimal={false}
        allowNegative={false}
        hideControls
        w={110}
      />
      <RangeFields
        range={{ from: draft.start, to: draft.end }}
        onRange={({ from, to }) => set({ start: from, end: to })}
        error={isBackward ? "After the end" : null}
      />
      <Button type="submit" disabled={isRunning || isBackward} className={classes.submit}>
        Search
      </Button>
    </form>
  );
}
