"use client";

import { ActionIcon, Button, Group } from "@mantine/core";
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
    <section className={classes.bar} aria-label="Pinned entries" data-screen>
      <ul>
        {pins.map((id) => (
          <Pinned key={id} id={id} />
        ))}
      </ul>
      <Group gap="sm" wrap="nowrap">
        {other ? (
          <Button component={Link} href={comparePath(first, other)} size="xs">
            {second ? "Compare" : "Compare with the open entry"}
          </Button>
        ) : (
          <p>Pin a second entry to compare them.</p>
        )}
        <Button variant="subtle" color="gray" size="xs" onClick={clearPins}>
          Unpin all
        </Button>
      </Group>
    </section>
  );
}

function Pinned({ id }: { id: string }) {
  const { zone } = useZone();
  const { data, isError } = useQuery(useTRPC().audit.get.queryOptions({ id }, { retry: false }));
  const name = data ? sentenceText(data) : isError ? "This entry can't be shown" : "Loading";
  return (
    <li>
      <Link href={`/audit/${id}`} prefetch={false} className="tm-link tm-clipped">
        {name}
      </Link>
      {data && <time dateTime={data.timestamp}>{dateTime(data.timestamp, zone)}</time>}
      <ActionIcon size={24} aria-label={`Unpin ${name}`} onClick={() => togglePin(id)}>
        <X size={13} aria-hidden />
      </ActionIcon>
    </li>
  );
}
