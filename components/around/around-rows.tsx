"use client";

import { COLUMNS as TIMELINE } from "@/components/devices/timeline/timeline-rows";
import { offset } from "@/components/format/offset";
import type { Outputs } from "@/components/trpc";
import type { Column } from "@/components/ui/record-table";
import type { Tie } from "@/server/devices/timeline/vocabulary";
import classes from "./around.module.css";

export type AroundPage = Outputs["audit"]["around"];
export type AroundItem = AroundPage["data"][number];

const TIE_LABEL: Record<Tie, string> = {
  session: "session",
  actor: "actor",
  address: "address",
  device: "device",
  organization: "organization",
};

export const isCurrentEntry = ({ item }: AroundItem, { entry }: AroundPage): boolean =>
  item.source === "audit" && item.entry.id === entry.id;

/** What an item has in common with the entry; the organization is mentioned only when nothing else matches. */
function sharedAttributes({ ties }: AroundItem): string {
  const closer = ties.filter((tie) => tie !== "organization");
  return (closer.length > 0 ? closer : ties).map((tie) => TIE_LABEL[tie]).join(", ");
}

/** A device timeline's columns, plus the distance in time and the attributes shared with the entry. */
export function columnsFor(page: AroundPage): Column<AroundItem>[] {
  const [time, ...rest] = TIMELINE.map(
    (column): Column<AroundItem> => ({ ...column, cell: ({ item }) => column.cell(item) }),
  );
  return [
    ...(time ? [time] : []),
    {
      header: "From the entry",
      width: 132,
      cell: (row) =>
        isCurrentEntry(row, page) ? (
          <b>This entry</b>
        ) : (
          <span className={classes.quiet}>{offset(row.item.at, page.entry.timestamp)}</span>
        ),
    },
    ...rest,
    {
      header: "In common",
      width: 168,
      cell: (row) => <span className={classes.quiet}>{isCurrentEntry(row, page) ? "" : sharedAttributes(row)}</span>,
    },
  ];
}
