"use client";

import { Button, Group, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import Link from "next/link";
import { useState } from "react";
import { useCan, useMe } from "@/components/account/org";
import { bytes, count, counted } from "@/components/format/amounts";
import { growthFigure } from "@/components/format/growth";
import { When } from "@/components/format/when";
import { isVisibleTo, navGroups } from "@/components/nav-items";
import { Trend } from "@/components/reports/trend";
import { useTRPC } from "@/components/trpc";
import { Facts } from "@/components/ui/facts";
import { Figures } from "@/components/ui/figures";
import { Notice, QueryFailure } from "@/components/ui/notice";
import { PageHeader, Section } from "@/components/ui/page-header";
import { StateTag } from "@/components/ui/state-tag";
import { DAY_MS } from "@/server/ground/time/durations";
import type { OrganizationOverview } from "@/server/organizations/overview/schema";
import { CHAIN_LABEL, leavesToText } from "./columns";
import { organizationQuery } from "./organizations-query";

const OrganizationDialog = dynamic(() => import("./organization-dialog").then((m) => m.OrganizationDialog), {
  ssr: false,
});

type Org = OrganizationOverview;

/** Everything about one organization, with links to its pages. */
export function OrganizationPage({ id }: { id: string }) {
  const query = useQuery(organizationQuery(useTRPC(), id));
  if (query.isError)
    return (
      <>
        <PageHeader title="Organization" />
        <QueryFailure query={query} what="this organization" />
      </>
    );
  if (!query.data)
    return (
      <div role="status" aria-label="Loading the organization">
        <Skeleton height={28} width={280} m={24} />
      </div>
    );
  const [org] = query.data.data;
  if (!org) return <Missing />;
  return <Organization org={org} readAt={query.data.readAt} pruningEnabled={query.data.pruningEnabled} />;
}

const Missing = () => (
  <>
    <PageHeader title="Organization" />
    <Notice
      title="Organization not found"
      action={
        <Button component={Link} href="/organizations" variant="default">
          All organizations
        </Button>
      }
    />
  </>
);

type Props = { org: Org; readAt: string; pruningEnabled: boolean };

function Organization({ org, readAt, pruningEnabled }: Props) {
  const mayEdit = useCan("organizations:manage");
  const monthAgo = new Date(Date.parse(readAt) - 30 * DAY_MS).toISOString();
  return (
    <>
      <PageHeader
        title={org.name}
        lead={org.isHome ? "The organization of your own staff." : "The state of its audit log."}
      >
        {mayEdit && <Edit id={org.orgId} />}
      </PageHeader>
      {org.attention.length > 0 && (
        <Group component="ul" gap="4px 16px" px="edge" pb="lg" aria-label="Needs attention">
          {org.attention.map(({ code, text }) => (
            <li key={code}>
              <StateTag tone={code === "chain_broken" ? "bad" : "warn"}>{text}</StateTag>
            </li>
          ))}
        </Group>
      )}
      <Links orgId={org.orgId} />
      <Numbers org={org} readAt={readAt} />
      <Section title="Entries" lead="Last 30 days, by the time they happened.">
        <Trend range={{ orgId: org.orgId, from: monthAgo }} />
      </Section>
      <Section title="Integrity">
        <Chain org={org} />
      </Section>
      <Section title="Data streams">
        <Facts facts={[["Entries leave to", leavesToText(org) || "Nothing"]]} />
      </Section>
      <Section title="Retention">
        <Retention org={org} pruningEnabled={pruningEnabled} />
      </Section>
      {org.devices && (
        <Section title="Devices">
          <Facts
            facts={[
              ["Online", count(org.devices.online)],
              ["Offline", count(org.devices.offline)],
              ["Offline for 24 hours", count(org.devices.silent)],
            ]}
          />
        </Section>
      )}
    </>
  );
}

/** Edits the organization's name, time zone and second factor. */
function Edit({ id }: { id: string }) {
  const organization = useQuery(useTRPC().organizations.get.queryOptions({ id })).data;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button variant="default" disabled={!organization} onClick={() => setIsOpen(true)}>
        Edit
      </Button>
      {isOpen && organization && <OrganizationDialog organization={organization} onClose={() => setIsOpen(false)} />}
    </>
  );
}

const LINKED = [
  "/",
  "/integrity",
  "/reports",
  "/settings/retention",
  "/devices",
  "/settings/users",
  "/settings/enrollment",
];
const ITEMS = navGroups.flatMap(({ items }) => items).filter(({ href }) => LINKED.includes(href));

function Links({ orgId }: { orgId: string }) {
  const me = useMe();
  return (
    <Group component="nav" gap="sm" px="edge" pb={20} aria-label="Pages of this organization">
      {ITEMS.filter((item) => isVisibleTo(item, me)).map(({ label, href }) => (
        <Button
          key={href}
          component={Link}
          href={`${href}?orgId=${orgId}`}
          variant="default"
          size="xs"
          prefetch={false}
        >
          {label}
        </Button>
      ))}
    </Group>
  );
}

function Numbers({ org, readAt }: { org: Org; readAt: string }) {
  const rows = (result: string, n: number) =>
    n === 0 ? "0" : <Link href={`/?orgId=${org.orgId}&range=24h&result=${result}`}>{count(n)}</Link>;
  return (
    <Figures
      label="The organization in numbers"
      items={[
        { label: "Entries kept", value: count(org.entries), note: `${bytes(org.bytes)} with indexes, estimated` },
        growthFigure(org.growth, readAt),
        { label: "Failures, 24 hours", value: rows("failure", org.failures) },
        { label: "Denied, 24 hours", value: rows("denied", org.denied) },
      ]}
    />
  );
}

function Chain({ org }: { org: Org }) {
  const { chain, checkpoint, witness } = org;
  const verdict = chain.throughSeq ? `, through entry ${count(chain.throughSeq)}` : "";
  const cosigned = witness.cosigners.map(({ name }) => name).join(", ");
  const witnesses = {
    not_configured: cosigned ? `Cosigned by ${cosigned}; none is required` : "No witness is configured",
    cosigned: `Cosigned by ${cosigned}`,
    missing: cosigned ? `Too few: only ${cosigned}` : "No witness has cosigned the newest checkpoint",
    no_checkpoint: "No checkpoint to cosign yet",
  }[witness.state];
  return (
    <Facts
      facts={[
        [
          "Verdict",
          `${CHAIN_LABEL[chain.status]}${chain.status === "intact" ? verdict : ""}. ${chain.reasons.join(" ")}`,
        ],
        [
          "Last full check",
          <When key="full" at={chain.lastFullCheck?.at ?? null} none="None yet: nightly runs read a part at a time" />,
        ],
        [
          "Last check",
          chain.lastCheckedAt ? (
            <span key="last">
              {counted(chain.lastCheckedEntries ?? 0, "entry", "entries")}, <When at={chain.lastCheckedAt} />
            </span>
          ) : (
            "None yet"
          ),
        ],
        [
          "Newest checkpoint",
          checkpoint ? (
            <span key="checkpoint">
              Entry {count(checkpoint.seq)}, <When at={checkpoint.signedAt} />
              {checkpoint.unsigned > 0 &&
                `; ${counted(checkpoint.unsigned, "newer entry", "newer entries")} not covered`}
            </span>
          ) : (
            "None yet"
          ),
        ],
        ["Witnesses", witnesses],
      ]}
    />
  );
}

function Retention({ org: { retention, oldestAt }, pruningEnabled }: Omit<Props, "readAt">) {
  const { configured, retentionDays, isDue, lastCleanupAt } = retention;
  const due = isDue ? "The oldest entries are past the period" : "Nothing to remove";
  return (
    <Facts
      facts={[
        [
          "Entries are kept for",
          configured ? counted(retentionDays ?? 0, "day") : "Not configured: nothing is deleted",
        ],
        [
          "Due for removal",
          configured ? `${due}${isDue && !pruningEnabled ? ", and nothing can be removed here" : ""}` : "Nothing",
        ],
        ["Last cleanup", <When key="cleanup" at={lastCleanupAt} none="None yet" />],
        ["Oldest entry", <When key="oldest" at={oldestAt} none="No entries" />],
      ]}
    />
  );
}
