"use client";

import { Button } from "@mantine/core";
import { CircleAlert } from "lucide-react";
import { Notice } from "./notice";

/** What stands in place of a page that could not be drawn. */
export function PageError({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <Notice
      icon={CircleAlert}
      role="alert"
      title="This page could not be shown"
      action={
        <Button variant="default" onClick={reset}>
          Try again
        </Button>
      }
    >
      Something went wrong on our side. What is stored is not touched.
      {error.digest ? ` The server's log knows it as ${error.digest}.` : ""}
    </Notice>
  );
}
