"use client";

import { Button, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { count, counted } from "@/components/format/amounts";
import { When } from "@/components/format/when";
import { useTRPC } from "@/components/trpc";
import { Failure } from "@/components/ui/notice";
import { type Column, RecordTable } from "@/components/ui/record-table";
import { arrange } from "@/server/organizations/overview/arrange";
import type { OrganizationOverview } from "@/server/organizations/overview/schema";
import { ChainTag, lastCheckText } from "./columns";
import classes from "./customers.module.css";
import { customersQuery } from "./customers-query";

type Row = OrganizationOverview;
/** The page's topic, which decides what is shown for each organization. */
type About = "chain" | "retention";

/** The maximum number listed here; the Customers page lists all of them, with search. */
const MAX_LISTED = 50;

/** Lets the user choose an organization for a single-organization page, with a summary of each, worst first. */
export function OrganizationChoice({ about }: { about: About }) {
  const query = useQuery(customersQuery(useTRPC()));
  if (query.isError)
    return <Failure error={query.error} onRetry={() => void query.refetch()} what="the organizations" />;
  if (!query.data)
    return (
      <div className={classes.waiting} role="status" aria-label="Loading the organizations">
        {[1, 2, 3, 4].map((line) => (
          <Skeleton key={line} height={14} width={`${90 - line * 6}%`} />
        ))}
      </div>
    );
  const rows = arrange(query.data.data, { sort: "attention", order: "asc" });
  const { total } = query.data.pagination;
  return (
    <>
      <RecordTable
        caption="Organizations"
        columns={about === "chain" ? chainColumns(query.data.readAt) : RETENTION}
        rows={rows.slice(0, MAX_LISTED)}
        rowKey={({ orgId }) => orgId}
      />
      <div className={classes.all}>
        {total > MAX_LISTED && (
          <span>{`${MAX_LISTED} of ${counted(total, "organization")}, what needs attention first`}</span>
        )}
        <Button component={Link} href="/customers" variant="default">
          {total > MAX_LISTED ? "Search all customers" : "Compare on the Customers page"}
        </Button>
      </div>
    </>
  );
}

const name = (path: string): Column<Row> => ({
  header: "Organization",
  cell: ({ orgId, name: text }) => (
    <Link href={`${path}?orgId=${orgId}`} prefetch={false} className={classes.name}>
      {text}
    </Link>
  ),
});

const oldest: Column<Row> = {
  header: "Oldest entry",
  cell: ({ oldestAt }) => <When at={oldestAt} none="No entries" dateOnly />,
  width: 160,
};

const entries: Column<Row> = { header: "Entries", cell: (row) => count(row.entries), width: 120, align: "figure" };

function checkedOf(row: Row, readAt: string): string {
  const [first = "", ...others] = lastCheckText(row, readAt) || "nothing to check";
  return `${first.toUpperCase()}${others.join("")}`;
}

const chainColumns = (readAt: string): Column<Row>[] => [
  name("/integrity"),
  { header: "Chain", cell: ({ chain }) => <ChainTag status={chain.status} />, width: 180 },
  { header: "Checked", cell: (row) => checkedOf(row, readAt), width: 280 },
  oldest,
  entries,
];

const RETENTION: Column<Row>[] = [
  name("/settings/retention"),
  {
    header: "Retention",
    cell: ({ retention }) => (retention.configured ? counted(retention.retentionDays ?? 0, "day") : "None"),
    width: 160,
  },
  {
    header: "Next removal",
    cell: ({ retention }) =>
      retention.configured ? (retention.isDue ? "Entries are due" : "Nothing due") : "Nothing is deleted",
    width: 200,
  },
  oldest,
  entries,
];
