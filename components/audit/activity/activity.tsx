"use client";

import { Button, SimpleGrid, Skeleton, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { ReactNode } from "react";
import { useCan, useOrg } from "@/components/account/org";
import { roleName } from "@/components/account/roles";
import { actorPath, addressPath, type Entry } from "@/components/audit/entry";
import { PathLink } from "@/components/audit/facts/fact-value";
import { filterFor } from "@/components/audit/state/narrow";
import { EntryRecords } from "@/components/audit/table/entry-link";
import { count } from "@/components/format/amounts";
import { When } from "@/components/format/when";
import { type Outputs, UNBATCHED, useTRPC } from "@/components/trpc";
import { Facts } from "@/components/ui/facts";
import { Figures } from "@/components/ui/figures";
import { BackLink } from "@/components/ui/links/back-link";
import { QueryFailure } from "@/components/ui/notice";
import { PageHeader, Section } from "@/components/ui/page-header";
import type { Column } from "@/components/ui/record-table";
import { joinValues } from "@/server/audit/query/values";
import { actorOf } from "@/server/audit/sentence";
import { ACTOR_TYPE_LABEL } from "@/server/audit/vocabulary";
import { DAY_MS } from "@/server/ground/time/durations";

const DAYS = 30;
const NEWEST = 20;
const TOP = 8;
const SIGN_INS = ["user.login", "user.login.failed", "user.logout"];

type Filter = Readonly<
  Partial<Record<"actorId" | "rawActorId" | "ip" | "orgId" | "actions" | "actorType" | "result" | "from", string>>
>;
type Counts = Outputs["audit"]["facets"];

const logPath = (filter: Filter, more: Filter = {}): string => `/?${new URLSearchParams({ ...filter, ...more })}`;

/** Counts and newest entries of a filter, over the 30 days before `now`. */
function useActivity(filter: Filter, now: string) {
  const trpc = useTRPC();
  const { orgId } = useOrg();
  const scoped: Filter = { ...filter, ...(orgId && { orgId }) };
  const from = new Date(Date.parse(now) - DAYS * DAY_MS).toISOString();
  const counts = useQuery(trpc.audit.facets.queryOptions({ ...scoped, from }, { trpc: UNBATCHED }));
  const newest = useQuery(trpc.audit.list.queryOptions({ ...scoped, limit: NEWEST, skipCount: true }));
  return { scoped: { ...scoped, from }, counts, newest };
}

/** The activity of one person, API key or agent in the last 30 days: addresses, actions, failures, access and sign-ins. */
export function ActorPage({ id, now }: { id: string; now: string }) {
  const filter: Filter = { [filterFor("actorId", id)]: joinValues([id]) };
  const activity = useActivity(filter, now);
  const [entry] = activity.newest.data?.data ?? [];
  const name = entry ? actorOf(entry) : "Actor";
  const about = entry && [ACTOR_TYPE_LABEL[entry.actorType], entry.user.email].filter((one) => one && one !== name);
  return (
    <Activity
      title={name}
      lead={about?.join(" · ")}
      {...{ filter, activity }}
      lists={[
        ["Addresses", "address", ({ value }) => addressPath(value)],
        ["Actions", "action", ({ value }) => logPath(activity.scoped, { actions: value })],
        ["Organizations", "organization", ({ value }) => `/organizations/${value}`],
      ]}
    >
      {entry?.actorType === "user" && (
        <>
          <Access id={id} email={entry.user.email} />
          <Section title="Sign-ins" flush>
            <Entries
              filter={{ ...filter, actions: SIGN_INS.join(",") }}
              caption={`Sign-ins of ${name}, newest first`}
            />
          </Section>
        </>
      )}
    </Activity>
  );
}

/** The users of an address in the last 30 days, and their actions. */
export function AddressPage({ ip, now }: { ip: string; now: string }) {
  const filter = { ip: joinValues([ip]) };
  const activity = useActivity(filter, now);
  return (
    <Activity
      title={ip}
      lead="Activity from this address."
      {...{ filter, activity }}
      lists={[
        [
          "Actors",
          "actor",
          ({ value }) => (value in ACTOR_TYPE_LABEL ? logPath(filter, { actorType: value }) : actorPath(value)),
        ],
        ["Actions", "action", ({ value }) => logPath(activity.scoped, { actions: value })],
        ["Organizations", "organization", ({ value }) => `/organizations/${value}`],
      ]}
    />
  );
}

type Value = { value: string; label: string; count: number };
type Lists = [title: string, facet: "address" | "action" | "organization" | "actor", to: (value: Value) => string][];
type Props = {
  title: string;
  lead?: string | undefined;
  filter: Filter;
  activity: ReturnType<typeof useActivity>;
  lists: Lists;
  children?: ReactNode;
};

function Activity({ title, lead, filter, activity: { scoped, counts, newest }, lists, children }: Props) {
  return (
    <>
      <BackLink href="/">Audit log</BackLink>
      <PageHeader title={title} lead={lead}>
        <Button component={Link} href={logPath(filter)} variant="default" size="xs">
          All entries
        </Button>
      </PageHeader>
      <QueryFailure query={counts} what="the counts" />
      {counts.isPending && <Skeleton height={160} m={24} />}
      {counts.data && <Numbers counts={counts.data} lists={lists} scoped={scoped} />}
      {children}
      <Section title="Failed and denied" flush>
        <Entries
          filter={{ ...filter, result: "failure,denied" }}
          caption={`Failed and denied: ${title}, newest first`}
        />
      </Section>
      <Section title="Newest entries" flush>
        <QueryFailure query={newest} what="the entries" />
        {newest.data && <EntryTable entries={newest.data.data} caption={`Newest entries: ${title}`} />}
      </Section>
    </>
  );
}

function Numbers({ counts, lists, scoped }: { counts: Counts; lists: Lists; scoped: Filter }) {
  const { nameOf } = useOrg();
  const of = (result: string) => counts.result.find(({ value }) => value === result)?.count ?? 0;
  const linked = (n: number, more: Filter) => (n === 0 ? "0" : <Link href={logPath(scoped, more)}>{count(n)}</Link>);
  const total = of("success") + of("failure") + of("denied");
  return (
    <>
      <Figures
        label={`The last ${DAYS} days in numbers`}
        items={[
          {
            label: `Entries, ${DAYS} days`,
            value: linked(total, {}),
            note: counts.truncated ? "newest only, older ones not counted" : "",
          },
          { label: "Failed", value: linked(of("failure"), { result: "failure" }) },
          { label: "Denied", value: linked(of("denied"), { result: "denied" }) },
          { label: lists[0]?.[0] ?? "", value: count(counts[lists[0]?.[1] ?? "action"].length) },
        ]}
      />
      <SimpleGrid minColWidth="240px" autoFlow="auto-fit" spacing={40} px="edge" pt={20} pb={8} fz="sm">
        {lists.map(([title, facet, to]) => (
          <section key={facet} aria-label={title}>
            <Title order={2}>{title}</Title>
            <ul className="tm-lines">
              {counts[facet].slice(0, TOP).map((one) => (
                <li key={one.value}>
                  <PathLink href={to(one)}>{facet === "organization" ? nameOf(one.value) : one.label}</PathLink>
                  <span className="tm-figures">{count(one.count)}</span>
                </li>
              ))}
            </ul>
            <Text inherit c="dimmed" mt={4}>
              {counts[facet].length === 0 && `None in ${DAYS} days`}
              {counts[facet].length > TOP && `${counts[facet].length - TOP} more`}
            </Text>
          </section>
        ))}
      </SimpleGrid>
    </>
  );
}

/** The person's role, organizations and second factor, for users who may manage users. */
function Access({ id, email }: { id: string; email: string }) {
  const { nameOf } = useOrg();
  const mayManage = useCan("users:manage");
  const people = useQuery({
    ...useTRPC().users.list.queryOptions({ search: email }),
    enabled: mayManage && email !== "",
  });
  const user = people.data?.data.find((one) => one.id === id);
  if (!user) return null;
  const access = user.orgId
    ? nameOf(user.orgId)
    : (user.organizationIds?.map(nameOf).join(", ") ?? "All organizations");
  return (
    <Section title="Access">
      <Facts
        inBlocks
        facts={[
          ["Role", roleName(user.role)],
          ["Access", access],
          ["State", user.disabled ? "Disabled" : user.invited ? "Invited" : "Active"],
          ["Two-factor", user.twoFactor ? "On" : "Off"],
          ["Last sign-in", <When key="last" at={user.lastLoginAt} none="Never" />],
        ]}
      />
    </Section>
  );
}

const FROM: Column<Entry> = {
  header: "From",
  cell: ({ ipAddress }) => ipAddress && <PathLink href={addressPath(ipAddress)}>{ipAddress}</PathLink>,
  width: 150,
  minor: true,
};

function EntryTable({ entries, caption }: { entries: Entry[]; caption: string }) {
  if (entries.length === 0)
    return (
      <Text c="dimmed" px="edge" pb="md">
        None
      </Text>
    );
  return <EntryRecords caption={caption} entries={entries} more={FROM} />;
}

function Entries({ filter, caption }: { filter: Filter; caption: string }) {
  const { orgId } = useOrg();
  const list = useQuery(
    useTRPC().audit.list.queryOptions({ ...filter, ...(orgId && { orgId }), limit: TOP, skipCount: true }),
  );
  if (list.isError) return <QueryFailure query={list} what="the entries" />;
  return list.data ? <EntryTable entries={list.data.data} caption={caption} /> : null;
}
