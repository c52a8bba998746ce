"use client";

import { Button, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ArrowLeft, ArrowRight } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { useTRPC } from "@/components/trpc";
import classes from "./entry-detail.module.css";

/** Links to the previous and next entry in the organization's list, newest first. */
export function Neighbours({ id }: { id: string }) {
  const { data } = useQuery(useTRPC().audit.neighbours.queryOptions({ id }));
  return (
    <Group component="nav" justify="space-between" aria-label="Entries beside this one" className={classes.beside}>
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
