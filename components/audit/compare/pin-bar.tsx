"use client";

import { ActionIcon, Box, Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Pin, PinOff, X } from "lucide-react";
import Link from "next/link";
import { clearPins, comparePath, togglePin, usePins } from "@/components/audit/state/pins";
import { dateTime } from "@/components/format/time";
import { useZone } from "@/components/format/zone";
import { useTRPC } from "@/components/trpc";
import { IconButton } from "@/components/ui/popover/tip";
import { sentenceText } from "@/server/audit/sentence";
import classes from "./compare.module.css";

/** Pins an entry so that it can be compared with another. */
export function PinButton({ id }: { id: string }) {
  const isPinned = usePins().includes(id);
  return (
    <IconButton
      label={isPinned ? "Unpin" : "Pin to compare"}
      icon={isPinned ? PinOff : Pin}
      onClick={() => togglePin(id)}
    />
  );
}

/** The pinned entries and the link to the comparison; shown on every list. */
export function PinBar({ openId }: { openId: string | null }) {
  const pins = usePins();
  const [first, second] = pins;
  if (!first) return null;
  const other = second ?? (openId && openId !== first ? openId : null);
  return (
    <Group
      component="section"
      className={classes.bar}
      justify="space-between"
      gap="8px 16px"
      px="edge"
      py={8}
      bg="var(--tm-inset)"
      fz="sm"
      aria-label="Pinned entries"
      data-screen
    >
      <Box component="ul" flex="1 1 320px" miw={0}>
        {pins.map((id) => (
          <Pinned key={id} id={id} />
        ))}
      </Box>
      <Group gap="sm" wrap="nowrap">
        {other ? (
          <Button component={Link} href={comparePath(first, other)} size="xs">
            {second ? "Compare" : "Compare with the open entry"}
          </Button>
        ) : (
          <span className="tm-quiet">Pin a second entry to compare them.</span>
        )}
        <Button variant="subtle" color="gray" size="xs" onClick={clearPins}>
          Unpin all
        </Button>
      </Group>
    </Group>
  );
}

function Pinned({ id }: { id: string }) {
  const { zone } = useZone();
  const { data, isError } = useQuery(useTRPC().audit.get.queryOptions({ id }, { retry: false }));
  const name = data ? sentenceText(data) : isError ? "This entry can't be shown" : "Loading";
  return (
    <Group component="li" gap="sm" wrap="nowrap">
      <Link href={`/audit/${id}`} prefetch={false} className="tm-link tm-clipped">
        {name}
      </Link>
      {data && (
        <Text component="time" inherit c="dimmed" flex="none" dateTime={data.timestamp}>
          {dateTime(data.timestamp, zone)}
        </Text>
      )}
      <ActionIcon size={24} aria-label={`Unpin ${name}`} onClick={() => togglePin(id)}>
        <X size={13} aria-hidden />
      </ActionIcon>
    </Group>
  );
}
