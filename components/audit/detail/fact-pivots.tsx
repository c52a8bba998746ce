"use client";

import { ActionIcon } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Ellipsis } from "lucide-react";
import Link from "next/link";
import { createSerializer, useQueryStates } from "nuqs";
import { useId } from "react";
import { useOrg } from "@/components/account/org";
import type { Entry } from "@/components/audit/entry";
import type { ColumnId } from "@/components/audit/state/table-params";
import { viewParsers } from "@/components/audit/state/view";
import { pivotsOfFact } from "@/components/audit/table/pivots";
import classes from "@/components/audit/table/pivots.module.css";
import { useZone } from "@/components/format/zone";

const addressOf = createSerializer(viewParsers);

/** The pivots of the corresponding table cell, as links to the list. */
export function FactPivots({ name, entry, column }: { name: string; entry: Entry; column: ColumnId }) {
  const id = useId();
  const [isOpen, { toggle }] = useDisclosure(false);
  const [view] = useQueryStates(viewParsers);
  const { zone } = useZone();
  const { nameOf } = useOrg();
  const context = { zone, orgName: nameOf };
  const pivots = pivotsOfFact({ entry, column }, view, context).filter((pivot) => "change" in pivot);
  if (pivots.length === 0) return null;
  return (
    <>
      <ActionIcon
        size={24}
        className={classes.toggle}
        aria-label={`More from ${name}`}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={toggle}
      >
        <Ellipsis size={15} aria-hidden />
      </ActionIcon>
      {isOpen && (
        <ul id={id} className={classes.links}>
          {pivots.map(({ label, change }) => (
            <li key={label}>
              <Link href={addressOf("/", { ...view, ...change })} className="tm-link">
                {label}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
