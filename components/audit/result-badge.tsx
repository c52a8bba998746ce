import { Ban, Check, X } from "lucide-react";
import { type AuditResult, RESULT_LABEL } from "@/server/audit/vocabulary";
import classes from "./result-badge.module.css";

const SIGN = {
  success: { Icon: Check, tone: "off" },
  failure: { Icon: X, tone: "bad" },
  denied: { Icon: Ban, tone: "warn" },
} as const;

/** A result as color, icon and word. Success is subdued, so that failures and denials stand out. */
export function ResultBadge({ result }: { result: AuditResult }) {
  const { Icon, tone } = SIGN[result];
  return (
    <span className={classes.badge} data-result={result} data-tone={tone}>
      <Icon size={13} strokeWidth={2.25} aria-hidden />
      {RESULT_LABEL[result]}
    </span>
  );
}
