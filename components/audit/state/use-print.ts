"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { flushSync } from "react-dom";
import type { Entry } from "@/components/audit/entry";
import { type Outputs, UNBATCHED, useTRPC } from "@/components/trpc";
import { useKeyDown, useListeners } from "@/components/ui/key-down";
import type { Input } from "./view";

/** The entries to print. `all` is null when it could not be fetched; then the entries on the screen are printed. */
export type Print = { at: Date; all: Outputs["audit"]["print"] | null; entries: Entry[] };

/** Fetches synchronously: a print started from the browser's menu cannot wait for a promise. */
function fetchSync(input: Input): Outputs["audit"]["print"] | null {
  const request = new XMLHttpRequest();
  request.open("GET", `/api/trpc/audit.print?${new URLSearchParams({ input: JSON.stringify(input) })}`, false);
  try {
    request.send();
    return request.status === 200 ? JSON.parse(request.responseText).result.data : null;
  } catch {
    return null;
  }
}

/**
 * Prints all matching entries. The button and Ctrl+P fetch them before the print dialog opens; for the browser's own
 * menu they are fetched when printing begins.
 */
export function usePrint({ cursor: _, skipCount: __, ...input }: Input, shown: Entry[]) {
  const [print, setPrint] = useState<Print | null>(null);
  const [isPreparing, setIsPreparing] = useState(false);
  const cache = useQueryClient();
  const trpc = useTRPC();
  const put = (all: Print["all"]) => flushSync(() => setPrint({ at: new Date(), all, entries: all?.data ?? shown }));
  const begin = async () => {
    if (isPreparing) return;
    setIsPreparing(true);
    const query = trpc.audit.print.queryOptions(input, { trpc: UNBATCHED, staleTime: 0, gcTime: 0 });
    const all = await cache.fetchQuery(query).catch(() => null);
    setIsPreparing(false);
    put(all);
    window.print();
  };
  const onBefore = () => {
    if (!print) put(fetchSync(input));
  };
  const onAfter = () => setPrint(null);
  useListeners({ beforeprint: onBefore, afterprint: onAfter }, () => window);
  // Some browsers fire no beforeprint event; the media query covers those.
  useListeners({ change: () => (window.matchMedia("print").matches ? onBefore() : onAfter()) }, () =>
    window.matchMedia("print"),
  );
  useKeyDown((event) => {
    if (event.key.toLowerCase() !== "p" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    event.preventDefault();
    void begin();
  });
  return { print, isPreparing, begin };
}

export type Printing = ReturnType<typeof usePrint>;
