"use client";

import { Button } from "@mantine/core";
import { Handshake } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { useOrg } from "./org";

export type Org = { id: string; name: string };
/** choice: what to show while no single organization is selected. */
type Props = { title: string; why: string; choice: ReactNode; children: (org: Org) => ReactNode };

/**
 * Renders a single-organization page for the selected or the only organization, otherwise a choice of organizations.
 */
export function OneOrg({ title, why, choice, children }: Props) {
  const { org, organizations } = useOrg();
  const one = org ?? (organizations.length === 1 ? organizations[0] : undefined);
  if (one) return children(one);
  return (
    <>
      <PageHeader title={title} lead={why} />
      {organizations.length > 0 ? (
        choice
      ) : (
        <Notice
          icon={Handshake}
          title="No organizations yet"
          action={
            <Button component={Link} href="/customers">
              Go to Customers
            </Button>
          }
        />
      )}
    </>
  );
}
