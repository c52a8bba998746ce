"use client";

import { Button } from "@mantine/core";
import { CircleAlert } from "lucide-react";
import { Notice } from "@/components/ui/notice";

/** Shown in place of a page that could not be rendered. */
export function PageError({ error }: { error: Error & { digest?: string } }) {
  return (
    <Notice
      icon={CircleAlert}
      role="alert"
      title="This page could not be shown"
      action={
        // From the server: after an update the scripts of the page that was open are gone.
        <Button variant="default" onClick={() => window.location.reload()}>
          Try again
        </Button>
      }
    >
      Something went wrong on the server. Stored data is not affected.
      {error.digest ? ` Find it in the server's log as ${error.digest}.` : ""}
    </Notice>
  );
}
