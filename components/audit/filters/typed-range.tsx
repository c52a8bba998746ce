"use client";

import { Button, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { Span } from "@/components/audit/state/range";
import { useZone } from "@/components/format/zone";
import classes from "./menus.module.css";
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
    <form className={classes.custom} onSubmit={(event) => void submit(event)}>
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
      <div className={classes.foot}>
        <span className={classes.hint} />
        <Button type="submit" size="xs" disabled={!typed.trim()}>
          Set
        </Button>
      </div>
    </form>
  );
}
