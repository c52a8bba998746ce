"use client";

import { VisuallyHidden } from "@mantine/core";
import { Failure } from "@/components/ui/notice";

/** Why the server did not load what a page cannot be shown without. */
export type Refusal = { detail: string; code: string; requestId: string };

/**
 * Shown in place of a page whose data was refused, a caller's one request too many for example; isFrameless where the
 * frame, which has the landmarks, cannot be shown either.
 */
export function NotLoaded({ refusal, isFrameless }: { refusal: Refusal; isFrameless: boolean }) {
  const Landmark = isFrameless ? "main" : "div";
  return (
    <Landmark>
      <VisuallyHidden component="h1">This page could not be loaded</VisuallyHidden>
      <Failure error={{ data: { problem: refusal } }} onRetry={() => window.location.reload()} what="this page" />
    </Landmark>
  );
}
