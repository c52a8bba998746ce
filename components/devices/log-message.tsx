import { counted } from "@/components/format/amounts";
import classes from "./device-page.module.css";

/** A log entry's message, with its structured fields folded below. */
export function LogMessage({ message, fields }: { message: string; fields: Record<string, unknown> | null }) {
  const has = fields !== null && Object.keys(fields).length > 0;
  return (
    <div>
      <span className={classes.message}>{message}</span>
      {has && (
        <details className={classes.fields}>
          <summary>{counted(Object.keys(fields).length, "field")}</summary>
          <pre>{JSON.stringify(fields, null, 2)}</pre>
        </details>
      )}
    </div>
  );
}
