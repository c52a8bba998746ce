"use client";

import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Entry } from "@/components/audit/entry";
import facts from "@/components/audit/facts/facts.module.css";
import { useTRPC } from "@/components/trpc";
import { Failure } from "@/components/ui/notice";
import { withVisibleMarks } from "@/server/ground/text";
import { EntryCopies } from "./entry-copies";
import classes from "./entry-detail.module.css";

/** An entry as the API gives it, to read and to copy: from the server as text, for a page's numbers are doubles. */
export function RawEntry({ entry }: { entry: Entry }) {
  const raw = useQuery(useTRPC().audit.json.queryOptions({ id: entry.id }));
  return (
    <section className={classes.section} aria-label="Raw entry">
      <EntryCopies entry={entry} json={raw.data?.json} />
      <details className={facts.raw}>
        <summary>Raw entry as JSON</summary>
        {raw.isPending && <Text c="dimmed">Loading…</Text>}
        {raw.isError && <Failure error={raw.error} onRetry={() => void raw.refetch()} what="this entry's JSON" />}
        {raw.data && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
          <section className={classes.json} tabIndex={0} aria-label="Raw entry as JSON">
            <pre>{withVisibleMarks(raw.data.json)}</pre>
          </section>
        )}
      </details>
    </section>
  );
}
