"use client";

import { Button } from "@mantine/core";
import { CircleAlert } from "lucide-react";
import { Notice } from "@/components/ui/notice";

/** What stands in place of a page that could not be drawn. */
export function PageError({ error }: { error: Error & { digest?: string } }) {
  return (
    <Notice
      icon={CircleAlert}
      role="alert"
      title="This page could not be shown"
      action={
        // Anew from the server: after an update the scripts of the page that was open are gone.
        <Button variant="default" onClick={() => window.location.reload()}>
          Try again
        </Button>
      }
    >
      Something went wrong on our side. What is stored is not touched.
      {error.digest ? ` The server's log knows it as ${error.digest}.` : ""}
    </Notice>
  );
}
