"use client";

import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { MouseEvent } from "react";
import type { Entry } from "@/components/audit/entry";
import { ResultBadge } from "@/components/audit/result-badge";
import { clock } from "@/components/format/time";
import { useZone } from "@/components/format/zone";
import { UNBATCHED, useTRPC } from "@/components/trpc";
import { readErrorText } from "@/components/ui/notice";
import { sentenceText } from "@/server/audit/sentence";
import classes from "./related.module.css";

type Props = { entry: Entry; onOpen: ((id: string) => void) | undefined };

const LISTS = [
  ["actor", "By the same actor"],
  ["resource", "On the same resource"],
  ["address", "From the same address"],
] as const;

/** Related entries; each opens in the same place as this one. */
export function Related({ entry, onOpen }: Props) {
  const query = useQuery(useTRPC().audit.related.queryOptions({ id: entry.id }, { trpc: UNBATCHED }));
  if (query.isPending)
    return (
      <Text size="sm" c="dimmed" role="status">
        Loading related entries
      </Text>
    );
  if (query.isError)
    return (
      <Text size="sm" c="dimmed" role="alert">
        {readErrorText(query.error)}
      </Text>
    );
  const found = LISTS.filter(([name]) => query.data[name].length > 0);
  if (found.length === 0)
    return (
      <Text size="sm" c="dimmed">
        No other entries by this actor, on this resource or from this address.
      </Text>
    );
  return found.map(([name, title]) => (
    <div key={name} className={classes.group}>
      <Text size="sm" c="dimmed" id={`related-${name}`}>
        {title}
        {query.data.cut.includes(name) && `, the newest ${query.data[name].length}`}
      </Text>
      <ul aria-labelledby={`related-${name}`}>
        {query.data[name].map((other) => (
          <RelatedEntry key={other.id} entry={other} onOpen={onOpen} />
        ))}
      </ul>
    </div>
  ));
}

function RelatedEntry({ entry, onOpen }: Props) {
  const { zone } = useZone();
  const follow = (event: MouseEvent) => {
    if (!onOpen || event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    onOpen(entry.id);
  };
  return (
    <li className={classes.entry}>
      <time dateTime={entry.timestamp}>{clock(entry.timestamp, zone)}</time>
      <Link href={`/audit/${entry.id}`} prefetch={false} className="tm-link" onClick={follow}>
        {sentenceText(entry)}
      </Link>
      {entry.result !== "success" && <ResultBadge result={entry.result} />}
    </li>
  );
}
