import type { LucideIcon } from "lucide-react";
import { Ban, CircleAlert, CircleCheck, CircleDashed } from "lucide-react";
import classes from "./state-tag.module.css";

export type Tone = "good" | "bad" | "warn" | "off";
const ICON: Record<Tone, LucideIcon> = { good: CircleCheck, bad: Ban, warn: CircleAlert, off: CircleDashed };

/** A state as color, icon and word. */
export function StateTag({ tone, children }: { tone: Tone; children: string }) {
  const Icon = ICON[tone];
  return (
    <span className={classes.tag} data-tone={tone}>
      <Icon size={14} strokeWidth={1.75} aria-hidden />
      {children}
    </span>
  );
}
