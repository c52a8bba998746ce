"use client";

import { ChevronRight } from "lucide-react";
import Link from "next/link";
import { usePathname } from "next/navigation";
import type { ReactNode } from "react";
import { PageHeader } from "@/components/ui/page-header";
import { Section } from "@/components/ui/section";
import classes from "./one-org.module.css";
import { useOrg } from "./org";

export type Org = { id: string; name: string };
type Props = { title: string; why: string; note?: (org: Org) => ReactNode; children: (org: Org) => ReactNode };

/** For what belongs to exactly one organization: the chosen one, the only one, or a list to choose from. */
export function OneOrg({ title, why, note, children }: Props) {
  const { org, organizations } = useOrg();
  const pathname = usePathname();
  const one = org ?? (organizations.length === 1 ? organizations[0] : undefined);
  if (one) return children(one);
  return (
    <>
      <PageHeader title={title} lead={why} />
      <Section title="Choose an organization">
        <ul className={classes.list}>
          {organizations.map(({ id, name, isHome }) => (
            <li key={id}>
              <Link href={`${pathname}?orgId=${id}`} prefetch={false}>
                <span>
                  {name}
                  {isHome && <small>your own staff</small>}
                </span>
                {note?.({ id, name })}
                <ChevronRight size={16} aria-hidden />
              </Link>
            </li>
          ))}
        </ul>
      </Section>
    </>
  );
}
