import { CodeBlock } from "@/components/ui/code/code-block";
import { MAX_SHOWN_CHARACTERS, type TryResponse } from "./send";
import classes from "./try.module.css";

/** Status, time, headers and text of a response. */
export function ResponsePanel({ answer }: { answer: TryResponse }) {
  const { status, statusText, headers, ms, text, isTruncated } = answer;
  return (
    <section className={classes.answer} aria-label="Response">
      <p className={classes.status} data-good={status < 400 || undefined}>
        <strong>
          {status} {statusText}
        </strong>
        <span>{Math.round(ms).toLocaleString("en")} ms</span>
      </p>
      <details className={classes.more}>
        <summary>{headers.length} headers</summary>
        <dl className={classes.headers}>
          {headers.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </details>
      {text ? <CodeBlock code={text} label="Response body" /> : <p className={classes.none}>No body</p>}
      {isTruncated && (
        <p className={classes.none}>Only the first {MAX_SHOWN_CHARACTERS.toLocaleString("en")} characters are shown.</p>
      )}
    </section>
  );
}
