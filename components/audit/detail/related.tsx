"use client";

import { Anchor, Box, Group, Text } from "@mantine/core";
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
    <Box key={name} mb={12}>
      <Text size="sm" c="dimmed" id={`related-${name}`}>
        {title}
        {query.data.cut.includes(name) && `, the newest ${query.data[name].length}`}
      </Text>
      <ul aria-labelledby={`related-${name}`}>
        {query.data[name].map((other) => (
          <RelatedEntry key={other.id} entry={other} onOpen={onOpen} />
        ))}
      </ul>
    </Box>
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
    <Group component="li" gap="sm" align="flex-start" wrap="nowrap" py={2} fz="sm" lh="24px">
      <Text component="time" inherit c="dimmed" w={64} flex="none" dateTime={entry.timestamp}>
        {clock(entry.timestamp, zone)}
      </Text>
      <Anchor component={Link} href={`/audit/${entry.id}`} prefetch={false} inherit flex={1} onClick={follow}>
        {sentenceText(entry)}
      </Anchor>
      {entry.result !== "success" && <ResultBadge result={entry.result} />}
    </Group>
  );
}
