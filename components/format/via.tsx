import { KeyRound } from "lucide-react";
import { keyText, type SubmittedBy } from "@/server/audit/provenance";
import { withVisibleMarks } from "@/server/ground/text";
import classes from "./via.module.css";

/** A chip for an entry submitted by an API key: "via Billing". Long names are cut. */
export function Via({ by }: { by: NonNullable<SubmittedBy> }) {
  const key = keyText(by);
  return (
    <span
      className={classes.via}
      data-via
      dir="auto"
      title={`Submitted by the API ${key} (${by.keyId}); this server did not see it happen`}
    >
      <KeyRound size={12} strokeWidth={1.75} aria-hidden />
      <span>via {withVisibleMarks(by.name)}</span>
    </span>
  );
}
