import type { LucideIcon } from "lucide-react";
import { Ban, CircleAlert, CircleCheck, CircleDashed } from "lucide-react";
import { Tag, type Tone } from "./tag";

export type { Tone };

const ICON: Record<Tone, LucideIcon> = { good: CircleCheck, bad: Ban, warn: CircleAlert, off: CircleDashed };

/** A state as color, icon and word. */
export const StateTag = ({ tone, children }: { tone: Tone; children: string }) => (
  <Tag tone={tone} icon={ICON[tone]}>
    {children}
  </Tag>
);
