import { Ban, Check, X } from "lucide-react";
import type { AuditResult } from "@/server/audit/vocabulary";
import { RESULT_LABEL } from "@/server/audit/vocabulary";
import classes from "./result-badge.module.css";

const ICON = { success: Check, failure: X, denied: Ban } as const;

/** How it went, in colour, icon and word. Success stays quiet, so that the others stand out. */
export function ResultBadge({ result }: { result: AuditResult }) {
  const Icon = ICON[result];
  return (
    <span className={classes.badge} data-result={result}>
      <Icon size={13} strokeWidth={2.25} aria-hidden />
      {RESULT_LABEL[result]}
    </span>
  );
}
