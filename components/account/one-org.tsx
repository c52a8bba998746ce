"use client";

import { Button, Group, Select } from "@mantine/core";
import { Handshake } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { useOrg } from "./org";

export type Org = { id: string; name: string };
type Props = { title: string; children: (org: Org) => ReactNode };

/** Renders a single-organization page for the selected or the only organization, otherwise lets the user choose one. */
export function OneOrg({ title, children }: Props) {
  const { one, organizations, setOrg } = useOrg();
  if (one) return children(one);
  const toOrganizations = (
    <Button component={Link} href="/organizations" variant="default">
      All organizations
    </Button>
  );
  if (organizations.length === 0)
    return (
      <>
        <PageHeader title={title} />
        <Notice icon={Handshake} title="No organizations yet" action={toOrganizations} />
      </>
    );
  return (
    <>
      <PageHeader title={title} lead="Choose an organization." />
      <Group px="edge" gap="sm">
        <Select
          aria-label={`Organization of ${title}`}
          placeholder="Organization"
          data={organizations.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(id) => id && void setOrg(id)}
          searchable
          w={280}
        />
        {toOrganizations}
      </Group>
    </>
  );
}
