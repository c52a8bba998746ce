import classes from "./device-page.module.css";

/** A log line's text, with its structured part folded below it. */
export function LogMessage({ message, fields }: { message: string; fields: Record<string, unknown> | null }) {
  const has = fields !== null && Object.keys(fields).length > 0;
  return (
    <div>
      <span className={classes.message}>{message}</span>
      {has && (
        <details className={classes.fields}>
          <summary>{Object.keys(fields).length === 1 ? "1 field" : `${Object.keys(fields).length} fields`}</summary>
          <pre>{JSON.stringify(fields, null, 2)}</pre>
        </details>
      )}
    </div>
  );
}
