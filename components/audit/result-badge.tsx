import { Ban, Check, X } from "lucide-react";
import { type AuditResult, RESULT_LABEL } from "@/server/audit/vocabulary";
import classes from "./result-badge.module.css";

const ICON = { success: Check, failure: X, denied: Ban } as const;

/** A result as color, icon and word. Success is subdued, so that failures and denials stand out. */
export function ResultBadge({ result }: { result: AuditResult }) {
  const Icon = ICON[result];
  return (
    <span className={classes.badge} data-result={result}>
      <Icon size={13} strokeWidth={2.25} aria-hidden />
      {RESULT_LABEL[result]}
    </span>
  );
}
