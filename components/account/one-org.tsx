"use client";

import { Button } from "@mantine/core";
import { Handshake } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { useOrg } from "./org";

export type Org = { id: string; name: string };
type Props = { title: string; why: string; children: (org: Org) => ReactNode };

/** For what belongs to exactly one organization: the chosen one or the only one; others begin at the customers. */
export function OneOrg({ title, why, children }: Props) {
  const { org, organizations } = useOrg();
  const one = org ?? (organizations.length === 1 ? organizations[0] : undefined);
  if (one) return children(one);
  return (
    <>
      <PageHeader title={title} lead={why} />
      <Notice
        icon={Handshake}
        title={organizations.length > 0 ? "Choose an organization" : "No organizations yet"}
        action={
          <Button component={Link} href="/customers">
            {organizations.length > 0 ? "See all customers" : "To the customers"}
          </Button>
        }
      >
        The Customers page shows the chain and the retention of every organization, and changes many at once. Or pick
        one in the header.
      </Notice>
    </>
  );
}
