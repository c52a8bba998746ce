"use client";

import { Box, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { CalendarClock, Infinity as Endless } from "lucide-react";
import { OneOrg, type Org } from "@/components/account/one-org";
import { useCan } from "@/components/account/org";
import { bytes, count } from "@/components/format/amounts";
import { growthFigure } from "@/components/format/growth";
import { zoneName } from "@/components/format/time";
import { When } from "@/components/format/when";
import { useZone } from "@/components/format/zone";
import { type Outputs, useTRPC } from "@/components/trpc";
import { Figures } from "@/components/ui/figures";
import { PageLink } from "@/components/ui/links/page-link";
import { Failure, Message } from "@/components/ui/notice";
import { PageHeader, Section } from "@/components/ui/page-header";
import { DeviceLogs } from "./device-logs";
import { PolicyForm } from "./policy-form";
import classes from "./retention.module.css";

function StateLine({ policy }: { policy: Outputs["retention"]["get"] }) {
  const { zone } = useZone();
  if (!policy.configured)
    return (
      <div className={classes.state} role="status">
        <Endless size={26} strokeWidth={1.5} aria-hidden />
        <div>
          <strong>Not configured: nothing is ever deleted</strong>
          <p>Audit entries accumulate until a period is saved below.</p>
        </div>
      </div>
    );
  return (
    <div className={classes.state} role="status">
      <CalendarClock size={26} strokeWidth={1.5} aria-hidden />
      <div>
        <strong>
          {policy.retentionDays === 1 ? "1 day" : `${policy.retentionDays?.toLocaleString("en-GB")} days`}
        </strong>
        <p>
          Last cleanup: <When at={policy.lastCleanupAt} none="none yet" />. Next:{" "}
          <When at={policy.nextRunAt} none="none, because nothing can be removed here" />
          {policy.nextRunAt && ` (${zoneName(zone, policy.lastCleanupAt, policy.nextRunAt)})`}.
        </p>
      </div>
    </div>
  );
}

/** An organization's retention: the current setting, what was removed, and what will be. */
export function RetentionPage() {
  return <OneOrg title="Retention">{(org) => <Retention key={org.id} org={org} />}</OneOrg>;
}

function Retention({ org }: { org: Org }) {
  const trpc = useTRPC();
  const mayManage = useCan("audit:manage");
  const policy = useQuery(trpc.retention.get.queryOptions({ id: org.id }));
  const overview = useQuery(trpc.organizations.overview.queryOptions({ orgId: org.id }));
  return (
    <>
      <PageHeader title="Retention" lead={`${org.name}: entries older than this are deleted daily.`} />
      {policy.isPending && (
        <Box px="edge" pb={20} role="status" aria-label="Loading the retention policy">
          <Skeleton height={76} radius={8} />
        </Box>
      )}
      {policy.isError && (
        <Failure error={policy.error} onRetry={() => void policy.refetch()} what="the retention policy" />
      )}
      {policy.data && (
        <>
          <StateLine policy={policy.data} />
          {!policy.data.pruningEnabled && (
            <Box px="edge" mt={-4} pb={20}>
              <Message tone="warn">
                Pruning is off in this installation (no AUDIT_ADMIN_DATABASE_URL, or a distributed database), so nothing
                is removed, regardless of the settings here. Entries accumulate until the operator of the server changes
                that.
              </Message>
            </Box>
          )}
        </>
      )}
      {overview.isError ? (
        <Failure error={overview.error} onRetry={() => void overview.refetch()} what="the size of the audit log" />
      ) : (
        <StoredRows overview={overview.data} />
      )}
      {policy.data && (
        <Section
          title="Keep audit entries for"
          lead="Only the oldest entries are removed, from the beginning of the chain; the rest can still be verified."
        >
          {mayManage ? (
            <PolicyForm org={org} policy={policy.data} />
          ) : (
            <Text c="dimmed" maw={640}>
              Changing this needs the audit:manage permission, which administrators of the organization or of the
              partner have.
            </Text>
          )}
        </Section>
      )}
      <DeviceLogs org={org} mayManage={mayManage} />
      <Section title="Archive before deletion">
        <Text c="dimmed" maw={640}>
          {policy.data?.archiveToS3
            ? "An entry is removed only once the archive's copy of it was read back and checked."
            : "No archive is set up: what the daily run removes cannot be restored. Add one under Data streams."}{" "}
          <PageLink href={`/archived?orgId=${org.id}`}>Archived entries</PageLink>
        </Text>
      </Section>
    </>
  );
}

const WAITING = <Skeleton height={20} width={72} my={4} />;

function StoredRows({ overview }: { overview: Outputs["organizations"]["overview"] | undefined }) {
  const [org] = overview?.data ?? [];
  return (
    <Figures
      label="Kept now"
      items={
        overview && org
          ? [
              { label: "Entries kept", value: count(org.entries) },
              { label: "Size with indexes", value: bytes(org.bytes), note: "estimated" },
              { label: "Oldest entry", value: <When at={org.oldestAt} none="No entries" dateOnly /> },
              growthFigure(org.growth, overview.readAt),
            ]
          : // A blank keeps the line's height until the value is known.
            ["Entries kept", "Size with indexes", "Oldest entry", "Growth"].map((label) => ({
              label,
              value: WAITING,
              note: "\u00a0",
            }))
      }
    />
  );
}
