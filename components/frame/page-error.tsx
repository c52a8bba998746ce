"use client";

import { useEffect } from "react";
import notice from "@/components/ui/notice.module.css";
import classes from "./page-error.module.css";

/**
 * Shown in place of a page that could not be rendered. Every page loads it twice, and it cannot come later, when scripts may
 * be what is missing: so it is plain, with the look of a notice.
 */
export function PageError({ error }: { error: Error & { digest?: string } }) {
  useEffect(() => {
    // A page that was reached by a click comes in pieces with status 200; asked for whole, it says what is away (503).
    fetch(window.location.href, { method: "HEAD", cache: "no-store" }).then(
      ({ status }) => status === 503 && window.location.reload(),
      () => {},
    );
  }, []);
  return (
    <div className={notice.notice} role="alert">
      <svg viewBox="0 0 24 24" className={`${notice.icon} ${classes.icon}`} aria-hidden="true">
        <circle cx="12" cy="12" r="10" />
        <path d="M12 8v4M12 16h.01" />
      </svg>
      <h2 className={classes.title}>This page could not be shown</h2>
      <div className={classes.text}>
        {error.digest
          ? `Something went wrong on the server. It is in the server log as ${error.digest}.`
          : "Something went wrong while this page was rendered."}
      </div>
      {/* From the server: after an update the scripts of the page that was open are gone. */}
      <button type="button" className={classes.button} onClick={() => window.location.reload()}>
        Try again
      </button>
    </div>
  );
}
