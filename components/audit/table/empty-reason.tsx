"use client";

import { Button, Group } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import { droppableFilters } from "@/components/audit/state/describe-filters";
import { toListInput, totalQuery } from "@/components/audit/state/view";
import { useViewer } from "@/components/audit/state/viewer-context";
import { counted } from "@/components/format/amounts";
import { useZone } from "@/components/format/zone";
import { useTRPC } from "@/components/trpc";

/** Finds the word, filter or range that excludes everything: the count without it, and a button to drop it. */
export function EmptyReason() {
  const { view, setView, now, audit } = useViewer();
  const { zone } = useZone();
  const trpc = useTRPC();
  const parts = droppableFilters(view, audit.names);
  const totals = useQueries({
    queries: parts.map(({ change }) => totalQuery(trpc, toListInput({ ...view, ...change }, zone, now))),
  });
  const found = parts.flatMap((part, at) => {
    const total = totals[at]?.data?.pagination.total ?? 0;
    return total > 0 ? [{ ...part, total }] : [];
  });
  if (totals.some((total) => total.isPending))
    return <p role="status">Checking which word or filter excludes everything …</p>;
  if (found.length === 0)
    return (
      <p role="status">
        {totals.some((total) => total.isError)
          ? "It could not be counted which of them excludes everything."
          : "No single word or filter excludes everything: without any one of them, still nothing matches."}
      </p>
    );
  return (
    <Group gap="sm" justify="center" role="status">
      {found
        .sort((a, b) => b.total - a.total)
        .map(({ key, label, change, total }) => (
          <Button key={key} variant="default" onClick={() => setView(change)}>
            Without {label}: {counted(total, "entry", "entries")}
          </Button>
        ))}
    </Group>
  );
}
