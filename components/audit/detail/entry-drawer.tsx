"use client";

import { ActionIcon, CloseButton, Drawer } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ChevronDown, ChevronUp, Maximize2 } from "lucide-react";
import dynamic from "next/dynamic";
import Link from "next/link";
import { useDeferredValue } from "react";
import { PinButton } from "@/components/audit/compare/pin-bar";
import { useViewer } from "@/components/audit/state/viewer-context";
import { useTRPC } from "@/components/trpc";
import { QueryFailure } from "@/components/ui/notice";
import { IconButton, Tip } from "@/components/ui/popover/tip";
import { DetailSkeleton } from "./detail-skeleton";
import classes from "./entry-detail.module.css";

const EntryDetail = dynamic(() => import("./entry-detail").then((m) => m.EntryDetail), {
  loading: () => <DetailSkeleton />,
});

/** The open entry, in a panel beside the list or, in a narrow window, in a drawer over it. */
export function EntryDrawer() {
  const { view, opened } = useViewer();
  // Deferred, so that holding down a key moves the row highlight without rendering every entry on the way.
  const following = useDeferredValue(view.row, null);
  const id = view.row === null ? null : following;
  if (opened.isBeside)
    return (
      view.row !== null && (
        <section ref={opened.panel} tabIndex={-1} className={classes.panel} aria-label="Audit entry" data-screen>
          <header className={classes.bar}>
            <EntryToolbar id={id} />
            <CloseButton ml="auto" aria-label="Close the entry" onClick={opened.close} />
          </header>
          <EntryContent id={id} />
        </section>
      )
    );
  return (
    <Drawer.Root opened={view.row !== null} onClose={opened.close} position="right" size={620} returnFocus={false}>
      <Drawer.Overlay backgroundOpacity={0.25} />
      <Drawer.Content aria-label="Audit entry">
        <Drawer.Header className={classes.bar}>
          <EntryToolbar id={id} />
          <Drawer.CloseButton ml="auto" aria-label="Close the entry" />
        </Drawer.Header>
        <Drawer.Body p={0}>{view.row !== null && <EntryContent id={id} />}</Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}

function EntryToolbar({ id }: { id: string | null }) {
  const { audit, opened } = useViewer();
  const { entries } = audit;
  const at = entries.findIndex((entry) => entry.id === id);
  return (
    <>
      <IconButton label="Previous entry" icon={ChevronUp} disabled={at <= 0} onClick={() => opened.step(-1)} />
      <IconButton
        label="Next entry"
        icon={ChevronDown}
        disabled={at < 0 || at === entries.length - 1}
        onClick={() => opened.step(1)}
      />
      <Tip label="Open on its own page">
        <ActionIcon
          component={Link}
          href={`/audit/${id ?? ""}`}
          prefetch={false}
          size={32}
          aria-label="Open on its own page"
        >
          <Maximize2 size={15} aria-hidden />
        </ActionIcon>
      </Tip>
      {id !== null && <PinButton id={id} />}
    </>
  );
}

/** The entry; fetched from the server if the list does not contain it. */
function EntryContent({ id }: { id: string | null }) {
  const { audit, opened } = useViewer();
  const found = audit.entries.find((entry) => entry.id === id);
  const fetched = useQuery(useTRPC().audit.get.queryOptions({ id: id ?? "" }, { enabled: id !== null && !found }));
  const entry = found ?? fetched.data;
  if (entry) return <EntryDetail key={entry.id} entry={entry} onOpen={opened.open} />;
  if (fetched.isError) return <QueryFailure query={fetched} what="this entry" />;
  return <DetailSkeleton />;
}
