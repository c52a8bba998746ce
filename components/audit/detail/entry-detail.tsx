"use client";

import { Text, Title } from "@mantine/core";
import Link from "next/link";
import type { ReactNode } from "react";
import { useOrg } from "@/components/account/org";
import { ActorType } from "@/components/audit/actor-type";
import { aroundPath, changesOf, type Entry } from "@/components/audit/entry";
import { EntrySentence } from "@/components/audit/entry-sentence";
import { Changes } from "@/components/audit/facts/changes";
import { DetailFacts } from "@/components/audit/facts/detail-facts";
import { factsOf } from "@/components/audit/facts/fact";
import { ResultBadge } from "@/components/audit/result-badge";
import { ShareButton } from "@/components/audit/share/share-button";
import { comparePath } from "@/components/audit/state/pins";
import type { ColumnId } from "@/components/audit/state/table-params";
import { dateTime, zoneName } from "@/components/format/time";
import { describeAgent } from "@/components/format/user-agent";
import { useZone } from "@/components/format/zone";
import { CopiedCode } from "@/components/ui/code/copied-code";
import { CATEGORY_LABEL } from "@/server/audit/vocabulary";
import { withVisibleMarks } from "@/server/ground/text";
import { ChainPanel } from "./chain-panel";
import classes from "./entry-detail.module.css";
import { FactPivots } from "./fact-pivots";
import { RawEntry } from "./raw-entry";
import { Related } from "./related";

/** rawActorId is shown next to the actor. */
const SHOWN_ELSEWHERE = ["rawActorId"];
const ZERO_UUID = "00000000-0000-0000-0000-000000000000";

/** onOpen: opens another entry in place of this one; without it, related entries link to their own pages. */
type Props = { entry: Entry; level?: 1 | 2; onOpen?: (id: string) => void };

/** Everything about one entry: actor, action, resource, origin, changes, and its position in the chain. */
export function EntryDetail({ entry, level = 2, onOpen }: Props) {
  const { zone } = useZone();
  const changes = changesOf(entry);
  const details = factsOf(entry.details, [...(changes?.members ?? []), ...SHOWN_ELSEWHERE]);
  return (
    <article className={classes.detail}>
      <header className={classes.head}>
        <Title order={level} className={classes.title}>
          <EntrySentence entry={entry} />
        </Title>
        <div className={classes.sub}>
          <ResultBadge result={entry.result} />
          <time dateTime={entry.timestamp}>{dateTime(entry.timestamp, zone)}</time>
          <span>{zoneName(zone, entry.timestamp)}</span>
        </div>
        {entry.errorMessage && (
          <p className={classes.error} data-result={entry.result}>
            {withVisibleMarks(entry.errorMessage)}
          </p>
        )}
      </header>
      <Facts entry={entry} />
      {changes && (
        <Section
          title="What changed"
          action={
            <Link href={comparePath(null, entry.id)} prefetch={false} className="tm-link">
              Compare with the previous change
            </Link>
          }
        >
          <Changes before={changes.before} after={changes.after} />
        </Section>
      )}
      {details.length > 0 && (
        <Section title="Details">
          <DetailFacts facts={details} />
        </Section>
      )}
      <Section title="Position in the chain" action={<ShareButton id={entry.id} />}>
        <ChainPanel entry={entry} />
      </Section>
      <Section
        title="Related entries, within five minutes"
        action={
          <Link href={aroundPath(entry.id)} className="tm-link">
            Everything around this moment
          </Link>
        }
      >
        <Related entry={entry} onOpen={onOpen} />
      </Section>
      <RawEntry entry={entry} />
    </article>
  );
}

function Section({ title, action, children }: { title: string; action?: ReactNode; children: ReactNode }) {
  return (
    <section className={classes.section} aria-label={title}>
      <div className={classes.sectionHead}>
        <Text fw={600}>{title}</Text>
        {action}
      </div>
      {children}
    </section>
  );
}

/** column: the table column with the same value, whose pivots are offered here. */
type FactProps = { name: string; entry: Entry; column: ColumnId; children: ReactNode };

function Fact({ name, entry, column, children }: FactProps) {
  return (
    <div className={classes.fact}>
      <dt>{name}</dt>
      <dd>
        {children}
        <FactPivots name={name} entry={entry} column={column} />
      </dd>
    </div>
  );
}

function Facts({ entry }: { entry: Entry }) {
  const { zone } = useZone();
  const { organizations, nameOf } = useOrg();
  const rawActor = entry.details.rawActorId;
  const actorId = entry.user.id !== ZERO_UUID ? entry.user.id : typeof rawActor === "string" ? rawActor : null;
  const browser = describeAgent(entry.userAgent);
  return (
    <dl className={classes.facts}>
      <Fact name="Who" entry={entry} column="event">
        <span className={classes.line}>
          {entry.user.name}
          <ActorType type={entry.actorType} />
        </span>
        {entry.user.email && entry.user.email !== entry.user.name && <span>{entry.user.email}</span>}
        {actorId && <CopiedCode value={actorId} what="actor id" />}
      </Fact>
      <Fact name="What" entry={entry} column="action">
        <CopiedCode value={entry.action} what="action" />
        <span className={classes.quiet}>{CATEGORY_LABEL[entry.category]}</span>
      </Fact>
      <Fact name="Target" entry={entry} column="resourceType">
        {entry.resource.name && <span dir="auto">{withVisibleMarks(entry.resource.name)}</span>}
        <span className={classes.quiet}>{entry.resource.type}</span>
        {entry.resource.id && <CopiedCode value={entry.resource.id} what="resource id" />}
      </Fact>
      {organizations.length > 1 && (
        <Fact name="Organization" entry={entry} column="org">
          {nameOf(entry.orgId)}
        </Fact>
      )}
      <Fact name="Where from" entry={entry} column="ip">
        {entry.ipAddress ? (
          <CopiedCode value={entry.ipAddress} what="address" />
        ) : (
          <span className={classes.quiet}>No address recorded</span>
        )}
        {browser && <span>{browser}</span>}
        {entry.userAgent && <span className={classes.agent}>{entry.userAgent}</span>}
      </Fact>
      <Fact name="When" entry={entry} column="time">
        <span>
          {dateTime(entry.timestamp, zone)} <span className={classes.quiet}>{zoneName(zone, entry.timestamp)}</span>
        </span>
        <CopiedCode value={entry.timestamp} what="time in UTC" />
        <CopiedCode value={String(Date.parse(entry.timestamp) / 1000)} what="seconds since 1970" />
      </Fact>
    </dl>
  );
}
