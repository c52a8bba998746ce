"use client";

import { useEffect } from "react";
import notice from "@/components/ui/notice.module.css";
import classes from "./page-error.module.css";

/**
 * The error boundary of a page. It uses no components of the kit: it is loaded with every page, and loading code on
 * demand may be what failed.
 */
export function PageError({ error }: { error: Error & { digest?: string } }) {
  useEffect(() => {
    // Client-side navigation streams with status 200, so only a full request reveals that a backend is unavailable
    // (503).
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
      {/* A full reload: after a server update, the old page's scripts no longer exist. */}
      <button type="button" className={classes.button} onClick={() => window.location.reload()}>
        Try again
      </button>
    </div>
  );
}
