import { CircleDashed, FileWarning, type LucideIcon, ShieldCheck, ShieldQuestionMark, ShieldX } from "lucide-react";
import type { ReactNode } from "react";
import classes from "./verdict-head.module.css";

type VerdictKind = "intact" | "broken" | "unproven" | "empty" | "unreadable" | "unknown";
const ICON: Record<VerdictKind, LucideIcon> = {
  intact: ShieldCheck,
  broken: ShieldX,
  unproven: ShieldQuestionMark,
  empty: CircleDashed,
  unreadable: FileWarning,
  unknown: CircleDashed,
};

type Props = { kind: VerdictKind; title: string; children?: ReactNode };

/** A verdict as color, icon, title and text. Plain markup, because the offline proof file uses it too. */
export function VerdictHead({ kind, title, children }: Props) {
  const Icon = ICON[kind];
  return (
    <div className={classes.verdict} data-kind={kind}>
      <Icon size={28} strokeWidth={1.5} aria-hidden />
      <div>
        <h2>{title}</h2>
        {children && <p>{children}</p>}
      </div>
    </div>
  );
}
