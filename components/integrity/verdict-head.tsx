import { CircleDashed, FileWarning, type LucideIcon, ShieldCheck, ShieldQuestionMark, ShieldX } from "lucide-react";
import type { ReactNode } from "react";
import classes from "./verdict-head.module.css";

type VerdictKind = "intact" | "broken" | "unproven" | "empty" | "unreadable" | "unknown";
const SIGN: Record<VerdictKind, { Icon: LucideIcon; tone?: "good" | "warn" | "bad" }> = {
  intact: { Icon: ShieldCheck, tone: "good" },
  broken: { Icon: ShieldX, tone: "bad" },
  unproven: { Icon: ShieldQuestionMark, tone: "warn" },
  empty: { Icon: CircleDashed },
  unreadable: { Icon: FileWarning, tone: "warn" },
  unknown: { Icon: CircleDashed },
};

type Props = { kind: VerdictKind; title: string; children?: ReactNode };

/** A verdict as color, icon, title and text. Plain markup, because the offline proof file uses it too. */
export function VerdictHead({ kind, title, children }: Props) {
  const { Icon, tone } = SIGN[kind];
  return (
    <div className={classes.verdict} data-kind={kind} data-tone={tone}>
      <Icon size={28} strokeWidth={1.5} aria-hidden />
      <div>
        <h2>{title}</h2>
        {children && <p>{children}</p>}
      </div>
    </div>
  );
}
