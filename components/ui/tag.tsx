import type { LucideIcon } from "lucide-react";
import classes from "./tag.module.css";

export type Tone = "good" | "bad" | "warn" | "off";

/** An icon and a word in the color of a state. */
export const Tag = ({ tone, icon: Icon, children }: { tone: Tone; icon: LucideIcon; children: string }) => (
  <span className={classes.tag} data-tone={tone}>
    <Icon size={14} strokeWidth={1.75} aria-hidden />
    {children}
  </span>
);
