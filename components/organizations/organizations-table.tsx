"use client";

import { Checkbox, UnstyledButton } from "@mantine/core";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown, ArrowUp } from "lucide-react";
import Link from "next/link";
import { useLayoutEffect, useRef, useState } from "react";
import { VirtualRows } from "@/components/ui/virtual-rows";
import type { OrganizationOverview, Sort } from "@/server/organizations/overview/schema";
import { COLUMNS, type OrganizationColumn } from "./columns";
import classes from "./organizations.module.css";

const ROW_PX = 56;
/** The assumed window size until it is measured, and on the server. */
const INITIAL_SIZE = { width: 1280, height: 900 };

type Row = OrganizationOverview;
type Selection = { ids: ReadonlySet<string>; toggle: (id: string) => void; toggleAll: () => void };
type Props = {
  rows: Row[];
  readAt: string;
  sort: Sort;
  order: "asc" | "desc";
  onSort: (sort: Sort) => void;
  /** Null when no bulk action is available. */
  selection: Selection | null;
  isStale: boolean;
};

/** One row per organization, virtualized. */
export function OrganizationsTable({ rows, readAt, selection, isStale, ...sorting }: Props) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY), []);
  const virtual = useWindowVirtualizer<HTMLTableRowElement>({
    count: rows.length,
    estimateSize: () => ROW_PX,
    overscan: 10,
    scrollMargin: top,
    initialRect: INITIAL_SIZE,
    getItemKey: (index) => rows[index]?.orgId ?? index,
  });
  const items = virtual.getVirtualItems();
  const columns = COLUMNS.filter(({ key }) => key !== "devices" || rows.some(({ devices }) => devices));
  return (
    <table
      className={`tm-table tm-figures ${classes.table}`}
      aria-rowcount={rows.length + 1}
      aria-busy={isStale}
      data-stale={isStale || undefined}
    >
      <caption>Organizations with the state of their audit log</caption>
      <thead>
        <tr>
          {selection && <TickAll rows={rows} selection={selection} />}
          <Head column={{ header: "Organization", sort: "name" }} {...sorting} />
          {columns.map((column) => (
            <Head key={column.key} column={column} {...sorting} />
          ))}
        </tr>
      </thead>
      <tbody ref={body}>
        <VirtualRows virtual={virtual}>
          {items.map(({ index }) => {
            const row = rows[index];
            return (
              row && (
                <tr
                  key={row.orgId}
                  ref={virtual.measureElement}
                  data-index={index}
                  aria-rowindex={index + 2}
                  data-selected={selection?.ids.has(row.orgId) || undefined}
                >
                  {selection && (
                    <td className={classes.tick} data-screen>
                      <Checkbox
                        aria-label={`Select ${row.name}`}
                        checked={selection.ids.has(row.orgId)}
                        onChange={() => selection.toggle(row.orgId)}
                      />
                    </td>
                  )}
                  <th scope="row">
                    <Name row={row} />
                  </th>
                  {columns.map(({ key, header, align, cell }) => (
                    <td key={key} data-label={header} data-column={key} data-align={align}>
                      {cell(row, readAt)}
                    </td>
                  ))}
                </tr>
              )
            );
          })}
        </VirtualRows>
      </tbody>
    </table>
  );
}

function TickAll({ rows, selection: { ids, toggleAll } }: { rows: Row[]; selection: Selection }) {
  const isAll = rows.length > 0 && rows.every(({ orgId }) => ids.has(orgId));
  return (
    <th scope="col" className={classes.tick} data-screen>
      <Checkbox
        aria-label="Select all organizations shown"
        checked={isAll}
        indeterminate={ids.size > 0 && !isAll}
        onChange={toggleAll}
      />
    </th>
  );
}

type HeadProps = Pick<Props, "sort" | "order" | "onSort"> & {
  column: Pick<OrganizationColumn, "header" | "sort" | "align">;
};

function Head({ column: { header, sort: by, align }, sort, order, onSort }: HeadProps) {
  if (!by)
    return (
      <th scope="col" data-align={align}>
        {header}
      </th>
    );
  const Arrow = order === "asc" ? ArrowUp : ArrowDown;
  const state = order === "asc" ? "ascending" : "descending";
  return (
    <th scope="col" data-align={align} aria-sort={sort === by ? state : "none"}>
      <UnstyledButton className={classes.sort} c="inherit" fz="inherit" onClick={() => onSort(by)}>
        {header}
        {sort === by && <Arrow size={12} aria-hidden />}
      </UnstyledButton>
    </th>
  );
}

function Name({ row: { orgId, name, isHome, attention } }: { row: Row }) {
  return (
    <>
      <Link href={`/organizations/${orgId}`} prefetch={false} className={classes.name}>
        {name}
        {isHome && <small> your own staff</small>}
      </Link>
      {attention.length > 0 && (
        <span className={classes.reasons}>
          {attention.map(({ code, text }) => (
            <span key={code} data-bad={code === "chain_broken" || undefined}>
              {text}
            </span>
          ))}
        </span>
      )}
    </>
  );
}
