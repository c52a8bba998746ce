"use client";

import { Failure } from "@/components/ui/notice";

/** Why the server did not load what a page cannot be shown without. */
export type Refusal = { detail: string; code: string; requestId: string };

/** Shown in place of a page whose data was refused, a caller's one request too many for example. */
export function NotLoaded({ refusal }: { refusal: Refusal }) {
  return <Failure error={{ data: { problem: refusal } }} onRetry={() => window.location.reload()} what="this page" />;
}
