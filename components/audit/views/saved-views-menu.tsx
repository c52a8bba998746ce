"use client";

import { Box, Button, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Plus, Siren } from "lucide-react";
import Link from "next/link";
import { type ReactNode, useId, useState } from "react";
import { useCan, useOrg } from "@/components/account/org";
import type { View } from "@/components/audit/state/view";
import { useViewer } from "@/components/audit/state/viewer-context";
import { useTRPC } from "@/components/trpc";
import { Message, readErrorText } from "@/components/ui/notice";
import { PopoverSkeleton } from "@/components/ui/popover/popover";
import { FILTER_NAMES } from "@/server/audit/query/catalogue";
import { isSavable, SavedRow, type SavedView, ViewButton, type ViewRequest } from "./saved-view-row";
import { BUILT_IN, isShown, toChange, type ViewQuery } from "./view-query";

/** The list's filters for a rule, without the time range: rules are about the future. */
const watchedFilter = (view: View): string => {
  const names = [...FILTER_NAMES, "exclude", "excludeActions"] as const;
  return JSON.stringify(Object.fromEntries(names.flatMap((name) => (view[name] ? [[name, view[name]]] : []))));
};

type Props = { onRequest: (request: ViewRequest) => void; onDone: () => void };

/** The views grouped by owner; a click applies one, and the user's own unfold their actions. */
export function SavedViewsMenu({ onRequest, onDone }: Props) {
  const { view, setView } = useViewer();
  const list = useQuery(useTRPC().savedViews.list.queryOptions({}));
  const mayWatch = useCan("detections:manage");
  const { orgId } = useOrg();
  const [opened, setOpened] = useState<string | null>(null);
  const [isLoaded, setIsLoaded] = useState(!list.isFetching);
  if (!isLoaded && !list.isFetching) setIsLoaded(true);
  // Views that load move everything below, so a click could hit another one.
  if (!isLoaded) return <PopoverSkeleton />;
  const views = list.data?.data ?? [];
  const mine = views.filter((v) => v.sharedWith === null);
  const shared = views.filter((v) => v.sharedWith !== null);
  const pick = (query: ViewQuery) => {
    setView(toChange(query));
    onDone();
  };
  const row = (saved: SavedView) => (
    <SavedRow
      key={saved.id}
      saved={saved}
      isOpen={opened === saved.id}
      onToggle={() => setOpened(opened === saved.id ? null : saved.id)}
      onPick={pick}
      onRequest={onRequest}
    />
  );
  return (
    <>
      <Box mah="min(460px, 60vh)" p={4} style={{ overflowY: "auto" }}>
        {list.isError && <Message tone="bad">{readErrorText(list.error)}</Message>}
        <Section label="Mine">
          {mine.map(row)}
          {list.isSuccess && mine.length === 0 && (
            <Text component="li" size="sm" c="dimmed" p="4px 8px 8px 26px">
              None yet. Filter the list, then save it under a name.
            </Text>
          )}
        </Section>
        {shared.length > 0 && <Section label="Shared">{shared.map(row)}</Section>}
        <Section label="Built in">
          {BUILT_IN.map(({ name, query }) => (
            <li key={name}>
              <ViewButton name={name} isShown={isShown(view, query)} onPick={() => pick(query)} />
            </li>
          ))}
        </Section>
      </Box>
      <Stack className="tm-ruled" gap="sm" p={8}>
        <Button
          variant="default"
          fullWidth
          disabled={!isSavable(view)}
          leftSection={<Plus size={15} aria-hidden />}
          onClick={() => onRequest({ what: "save" })}
        >
          Save this view
        </Button>
        {mayWatch && (
          <Button
            component={Link}
            href={`/settings/detections?filter=${encodeURIComponent(watchedFilter(view))}${orgId ? `&orgId=${orgId}` : ""}`}
            variant="default"
            fullWidth
            leftSection={<Siren size={15} aria-hidden />}
          >
            Save as alert
          </Button>
        )}
      </Stack>
    </>
  );
}

function Section({ label, children }: { label: string; children: ReactNode }) {
  const id = useId();
  return (
    <>
      <Text id={id} size="xs" c="dimmed" p="8px 8px 4px">
        {label}
      </Text>
      <ul aria-labelledby={id}>{children}</ul>
    </>
  );
}
