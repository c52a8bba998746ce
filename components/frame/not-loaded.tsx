"use client";

import { VisuallyHidden } from "@mantine/core";
import { Failure } from "@/components/ui/notice";

/** Why the server could not load data that the page requires. */
export type Refusal = { detail: string; code: string; requestId: string };

/**
 * Replaces a page whose required data was refused, for example by the rate limit. isFrameless: the frame with its
 * landmarks is missing too.
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
