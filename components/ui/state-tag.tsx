import type { LucideIcon } from "lucide-react";
import { Ban, CircleAlert, CircleCheck, CircleDashed } from "lucide-react";
import classes from "./state-tag.module.css";

export type Tone = "good" | "bad" | "warn" | "off";
const ICON: Record<Tone, LucideIcon> = { good: CircleCheck, bad: Ban, warn: CircleAlert, off: CircleDashed };

type Props = { tone: Tone; icon?: LucideIcon; children: string };

/** A state as color, icon and word. */
export function StateTag({ tone, icon: Icon = ICON[tone], children }: Props) {
  return (
    <span className={classes.tag} data-tone={tone}>
      <Icon size={14} strokeWidth={1.75} aria-hidden />
      {children}
    </span>
  );
}
