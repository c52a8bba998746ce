"use client";

import { Box, Button, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ArrowLeft, ArrowRight } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { PinBar, PinButton } from "@/components/audit/compare/pin-bar";
import { useTRPC } from "@/components/trpc";
import { BackLink } from "@/components/ui/links/back-link";
import { QueryFailure } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { EntryDetail } from "./entry-detail";
import classes from "./entry-detail.module.css";
import { useEntryKeys } from "./entry-keys";

/** Links to the previous and next entry in the organization's list, newest first. */
function Neighbours({ id }: { id: string }) {
  const { data } = useQuery(useTRPC().audit.neighbours.queryOptions({ id }));
  return (
    <Group
      component="nav"
      justify="space-between"
      aria-label="Entries beside this one"
      className="tm-ruled"
      px="edge"
      pt={16}
      pb={32}
    >
      <Step id={data?.newer} icon={<ArrowLeft size={15} aria-hidden />} side="leftSection">
        Previous entry
      </Step>
      <Step id={data?.older} icon={<ArrowRight size={15} aria-hidden />} side="rightSection">
        Next entry
      </Step>
    </Group>
  );
}

type StepProps = {
  id: string | null | undefined;
  icon: ReactNode;
  side: "leftSection" | "rightSection";
  children: string;
};

function Step({ id, icon, side, children }: StepProps) {
  if (!id)
    return (
      <Button variant="default" disabled {...{ [side]: icon }}>
        {children}
      </Button>
    );
  return (
    <Button variant="default" component={Link} href={`/audit/${id}`} {...{ [side]: icon }}>
      {children}
    </Button>
  );
}

/** One entry on its own page; the target of copied links. */
export function EntryPage({ id }: { id: string }) {
  const entry = useQuery(useTRPC().audit.get.queryOptions({ id }));
  useEntryKeys(id);
  return (
    <div className={classes.page}>
      <BackLink href="/">Audit log</BackLink>
      {entry.data && (
        <Box pos="absolute" top={10} right={24}>
          <PinButton id={id} />
        </Box>
      )}
      {entry.data && <EntryDetail entry={entry.data} level={1} />}
      {entry.data && <Neighbours id={id} />}
      {entry.isError && <PageHeader title="Audit entry" />}
      <QueryFailure query={entry} what="this entry" />
      <PinBar openId={id} />
    </div>
  );
}
