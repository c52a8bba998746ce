"use client";

import { Button } from "@mantine/core";
import { Radio } from "lucide-react";
import type { MouseEvent } from "react";
import { isLive, isOpenEnded, type SetView, type View } from "@/components/audit/state/view";
import { useViewer } from "@/components/audit/state/viewer-context";
import classes from "./live-toggle.module.css";

/** Turns live updates on, from the first page, or off. */
export const toggleLive = (view: View, setView: SetView): unknown =>
  isOpenEnded(view) && setView(isLive(view) ? { live: null } : { live: "1", cursor: null });

/** The live updates switch. A range that has an end gets no new entries. */
export function LiveToggle() {
  const { view, setView } = useViewer();
  const isPossible = isOpenEnded(view);
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    // After a click, Space must pause the list; if the button kept the focus, Space would turn live updates off.
    if (event.detail > 0) event.currentTarget.blur();
    toggleLive(view, setView);
  };
  return (
    <Button
      variant="default"
      className={classes.toggle}
      title={isPossible ? "Show new entries as they arrive (l)" : "The range has an end, so no new entries can appear"}
      aria-pressed={isLive(view)}
      data-disabled={!isPossible || undefined}
      aria-disabled={!isPossible || undefined}
      onClick={press}
      leftSection={<Radio size={15} aria-hidden />}
    >
      Live
    </Button>
  );
}
