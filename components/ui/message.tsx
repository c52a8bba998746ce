import { CircleAlert, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import classes from "./message.module.css";

const ICON = { bad: CircleAlert, warn: TriangleAlert };

/** An error or a warning. */
export function Message({ tone, children }: { tone: "bad" | "warn"; children: ReactNode }) {
  const Icon = ICON[tone];
  return (
    <div className={classes.message} data-tone={tone} role={tone === "bad" ? "alert" : "status"}>
      <Icon size={16} strokeWidth={1.75} aria-hidden />
      <span>{children}</span>
    </div>
  );
}
