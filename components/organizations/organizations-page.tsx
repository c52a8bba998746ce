"use client";

import { Box, Button, Group, Select, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Download, Plus } from "lucide-react";
import dynamic from "next/dynamic";
import { useMemo, useState } from "react";
import { useCan } from "@/components/account/org";
import { count, counted } from "@/components/format/amounts";
import { When } from "@/components/format/when";
import { saveFile } from "@/components/save-file";
import { type Outputs, useTRPC } from "@/components/trpc";
import { LoadingRows } from "@/components/ui/loading-rows";
import { Message, NoMatch, Notice, QueryFailure } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { SearchField } from "@/components/ui/search-field";
import { toCsv } from "@/server/ground/csv";
import { arrange } from "@/server/organizations/overview/arrange";
import { type Shown, SORTS, type Sort } from "@/server/organizations/overview/schema";
import classes from "./organizations.module.css";
import { organizationsCsv, useOrganizationsView, useSelection } from "./organizations-list";
import { organizationsQuery } from "./organizations-query";
import { OrganizationsTable } from "./organizations-table";

const RetentionDialog = dynamic(() => import("./retention-dialog").then((m) => m.RetentionDialog), { ssr: false });
const OrganizationDialog = dynamic(() => import("./organization-dialog").then((m) => m.OrganizationDialog), {
  ssr: false,
});
const VerifyDialog = dynamic(() => import("./verify-dialog").then((m) => m.VerifyDialog), { ssr: false });

type Overview = Outputs["organizations"]["overview"];
type View = ReturnType<typeof useOrganizationsView>["view"];

/** The state of every organization, those that need attention first, with actions for several at once. */
export function OrganizationsPage() {
  const { view, search, sortBy, toggle, clear } = useOrganizationsView();
  const { query, rows } = useOrganizationsList(view);
  const mayCreate = useCan("organizations:manage");
  const [isCreating, setIsCreating] = useState(false);
  const download = () =>
    query.data && saveFile("organizations.csv", toCsv(organizationsCsv(rows, query.data.readAt)), "text/csv");
  return (
    <>
      <PageHeader title="Organizations">
        <Group gap="sm">
          <Button
            variant="default"
            leftSection={<Download size={15} aria-hidden />}
            disabled={rows.length === 0}
            onClick={download}
          >
            Download CSV
          </Button>
          {mayCreate && (
            <Button leftSection={<Plus size={15} aria-hidden />} onClick={() => setIsCreating(true)}>
              New organization
            </Button>
          )}
        </Group>
        {isCreating && <OrganizationDialog onClose={() => setIsCreating(false)} />}
      </PageHeader>
      {query.data && !query.data.pruningEnabled && (
        <Box px="edge" pb="lg">
          <Message tone="warn">
            Pruning is off in this installation (no AUDIT_ADMIN_DATABASE_URL, or a distributed database), so no entries
            are removed in any organization.
          </Message>
        </Box>
      )}
      <Group className={classes.tools} gap="8px 12px" px="edge" pb={12} data-screen>
        <SearchField label="Search organizations" value={view.search ?? ""} onSearch={search} />
        <Filters counts={query.data?.counts} show={view.show ?? []} onToggle={toggle} />
        <SortSelect sort={view.sort} onSort={sortBy} />
      </Group>
      {query.isPending && <LoadingRows what="the organizations" height={56} />}
      <QueryFailure query={query} what="the organizations" />
      {query.data && (
        <List overview={query.data} rows={rows} isStale={query.isPlaceholderData} onClear={clear} onSort={sortBy} />
      )}
    </>
  );
}

/** Organizations of the current view, filtered and sorted. */
function useOrganizationsList(view: View) {
  const trpc = useTRPC();
  const first = useQuery(organizationsQuery(trpc));
  // If they do not fit on one page, the server searches and sorts, and only its first page is shown.
  const isLarge = (first.data?.pagination.totalPages ?? 1) > 1;
  // Without defaults, so that the default view uses the query that is already cached.
  const input = {
    ...(view.search && { search: view.search }),
    ...(view.show && { show: view.show }),
    ...(view.sort !== "attention" && { sort: view.sort }),
    ...(view.order !== "asc" && { order: view.order }),
  };
  const large = useQuery({
    ...organizationsQuery(trpc, input),
    enabled: isLarge,
    placeholderData: keepPreviousData,
  });
  const query = isLarge ? large : first;
  const rows = useMemo(
    () =>
      query.data ? arrange(query.data.data, { ...view, search: view.search ?? undefined, show: view.show ?? [] }) : [],
    [query.data, view],
  );
  return { query, rows };
}

const FILTERS: [Shown, string][] = [
  ["attention", "Needs attention"],
  ["chain", "Broken or unverified chain"],
  ["retention", "Retention under 365 days or none"],
  ["silent", "Devices offline for 24 h"],
];

type FiltersProps = {
  counts: Overview["counts"] | undefined;
  show: readonly Shown[];
  onToggle: (shown: Shown) => void;
};

/** Toggles that combine with OR; with none selected, everything is shown. */
function Filters({ counts, show, onToggle }: FiltersProps) {
  return (
    <Group component="fieldset" className={classes.filters} gap="sm" aria-label="Show organizations with">
      {FILTERS.map(([shown, label]) => (
        <Button
          key={shown}
          variant="default"
          size="xs"
          px={10}
          fw={400}
          aria-pressed={show.includes(shown)}
          onClick={() => onToggle(shown)}
        >
          {label}
          <span className="tm-quiet tm-figures">&nbsp;{counts ? count(counts[shown]) : ""}</span>
        </Button>
      ))}
    </Group>
  );
}

const SORT_LABEL: Record<Sort, string> = {
  attention: "Needs attention",
  name: "Name",
  checked: "Last full check",
  retention: "Retention",
  oldest: "Oldest entry",
  growth: "Growth",
  failures: "Failures",
  denied: "Denied",
  devices: "Devices offline",
  storage: "Storage",
};

/** Sorting as a select: phones have no table header, and no column sorts by attention. */
const SortSelect = ({ sort, onSort }: { sort: Sort; onSort: (sort: Sort) => void }) => (
  <Select
    aria-label="Sort by"
    data={SORTS.map((value) => ({ value, label: `Sort: ${SORT_LABEL[value].toLowerCase()}` }))}
    value={sort}
    onChange={(value) => {
      const chosen = SORTS.find((one) => one === value);
      if (chosen && chosen !== sort) onSort(chosen);
    }}
    allowDeselect={false}
    w={196}
  />
);

type Dialog = "retention" | "verify" | null;
type ListProps = {
  overview: Overview;
  rows: Overview["data"];
  isStale: boolean;
  onClear: () => void;
  onSort: (sort: Sort) => void;
};

function List({ overview, rows, isStale, onClear, onSort }: ListProps) {
  const { view } = useOrganizationsView();
  const mayManage = useCan("audit:manage");
  const selection = useSelection(overview.data, rows);
  const [dialog, setDialog] = useState<Dialog>(null);
  const close = () => setDialog(null);
  if (overview.counts.organizations === 0) return <NoOrganizations />;
  if (rows.length === 0) return <NoneShown view={view} onClear={onClear} />;
  return (
    <>
      <Text size="xs" c="dimmed" px="edge" pb="sm" className="tm-figures">
        <span role="status">
          {counted(rows.length, "organization")}
          {overview.pagination.totalPages > 1 && ` of ${count(overview.pagination.total)}; search for the others`}
          {rows.length < overview.counts.organizations && overview.pagination.totalPages === 1
            ? ` of ${count(overview.counts.organizations)}`
            : ""}
        </span>
        , as of <When at={overview.readAt} />
      </Text>
      {selection.chosen.length > 0 && (
        <Group
          component="fieldset"
          className={classes.selected}
          gap="sm"
          aria-label="Selected organizations"
          data-screen
        >
          <Text fw={600} mr={8} className="tm-figures">
            {count(selection.chosen.length)} selected
          </Text>
          <Button size="xs" onClick={() => setDialog("verify")}>
            Verify
          </Button>
          {mayManage && (
            <Button size="xs" variant="default" onClick={() => setDialog("retention")}>
              Set retention
            </Button>
          )}
          <Button size="xs" variant="subtle" color="gray" onClick={selection.clear}>
            Clear the selection
          </Button>
        </Group>
      )}
      <OrganizationsTable
        rows={rows}
        readAt={overview.readAt}
        sort={view.sort}
        order={view.order}
        onSort={onSort}
        selection={selection}
        isStale={isStale}
      />
      {dialog === "retention" && (
        <RetentionDialog organizations={selection.chosen} pruningEnabled={overview.pruningEnabled} onClose={close} />
      )}
      {dialog === "verify" && <VerifyDialog organizations={selection.chosen} onClose={close} />}
    </>
  );
}

/** Text for a single filter without results. */
const NONE_SHOWN: Record<Shown, string> = {
  attention: "No organization needs attention",
  chain: "No chain is broken or unverified",
  retention: "Every organization keeps 365 days or more",
  silent: "No device has been offline for 24 hours",
};

function NoneShown({ view: { search, show }, onClear }: { view: View; onClear: () => void }) {
  const [shown, ...others] = show ?? [];
  if (search || !shown || others.length > 0) return <NoMatch search={search} onClear={onClear} />;
  return (
    <Notice
      title={NONE_SHOWN[shown]}
      action={
        <Button variant="default" onClick={onClear}>
          All organizations
        </Button>
      }
    />
  );
}

const NoOrganizations = () => (
  <Notice title="No organizations yet">
    Each of your customers is an organization, with its own audit chain and retention.
  </Notice>
);
