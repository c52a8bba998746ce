"use client";

import { ActionIcon, Button, Group, Stack, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Check, Ellipsis, FileCheck2 } from "lucide-react";
import dynamic from "next/dynamic";
import Link from "next/link";
import { createSerializer, useQueryStates } from "nuqs";
import { type ReactNode, useId } from "react";
import { useCan, useOrg } from "@/components/account/org";
import { ActorType } from "@/components/audit/actor-type";
import { actorPath, addressPath, aroundPath, changesOf, type Entry } from "@/components/audit/entry";
import { EntrySentence } from "@/components/audit/entry-sentence";
import { Changes } from "@/components/audit/facts/changes";
import { factsOf } from "@/components/audit/facts/fact";
import { DetailFacts, PathLink } from "@/components/audit/facts/fact-value";
import facts from "@/components/audit/facts/facts.module.css";
import { ResultBadge } from "@/components/audit/result-badge";
import { actorIdOf } from "@/components/audit/state/describe-filters";
import { comparePath } from "@/components/audit/state/pins";
import type { ColumnId } from "@/components/audit/state/table-params";
import { viewParsers } from "@/components/audit/state/view";
import { COLUMN } from "@/components/audit/table/columns";
import { pivotsOfFact } from "@/components/audit/table/pivots";
import pivotsClasses from "@/components/audit/table/pivots.module.css";
import { dateTime, zoneName } from "@/components/format/time";
import { describeAgent } from "@/components/format/user-agent";
import { Via } from "@/components/format/via";
import { useZone } from "@/components/format/zone";
import { useTRPC } from "@/components/trpc";
import { CopiedCode } from "@/components/ui/code/copied-code";
import { useCopy } from "@/components/ui/copy/use-copy";
import { QueryFailure } from "@/components/ui/notice";
import { actorOf } from "@/server/audit/sentence";
import { CATEGORY_LABEL, FIRST_SEEN_LABEL } from "@/server/audit/vocabulary";
import { withVisibleMarks } from "@/server/ground/text";
import { ChainPanel } from "./chain-panel";
import classes from "./entry-detail.module.css";
import { Related } from "./related";

/**
 * An entry as JSON, to read and copy, as the API call that fetches it, or as a link. The text is the server's, because
 * the browser parses numbers as doubles.
 */
function RawEntry({ entry }: { entry: Entry }) {
  const origin = typeof window === "undefined" ? "" : window.location.origin;
  const raw = useQuery(useTRPC().audit.json.queryOptions({ id: entry.id }));
  return (
    <section className={classes.section} aria-label="Raw entry">
      <Group gap={4} ml={-8}>
        <CopyText name="JSON" text={raw.data?.json} />
        <CopyText
          name="cURL"
          text={`curl -H "Authorization: Bearer $TRAILMARK_KEY" ${origin}/api/v1/audit-logs/logs/${entry.id}`}
        />
        <CopyText name="Link" text={`${origin}/audit/${entry.id}`} />
      </Group>
      <details className={facts.raw}>
        <summary>Raw entry as JSON</summary>
        {raw.isPending && <Text c="dimmed">Loading…</Text>}
        <QueryFailure query={raw} what="this entry's JSON" />
        {raw.data && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
          <section className={`tm-box ${classes.json}`} tabIndex={0} aria-label="Raw entry as JSON">
            <pre>{withVisibleMarks(raw.data.json)}</pre>
          </section>
        )}
      </details>
    </section>
  );
}

function CopyText({ name, text }: { name: string; text: string | undefined }) {
  const { copied, copy } = useCopy();
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      color="gray"
      disabled={text === undefined}
      onClick={() => void copy(text ?? "")}
      leftSection={copied ? <Check size={13} aria-hidden /> : null}
    >
      {copied ? "Copied" : `Copy ${name}`}
    </Button>
  );
}

const addressOf = createSerializer(viewParsers);

/** Pivots of the corresponding table cell, as links to the list. */
function FactPivots({ name, entry, column }: { name: string; entry: Entry; column: ColumnId }) {
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
        className={pivotsClasses.toggle}
        aria-label={`More from ${name}`}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={toggle}
      >
        <Ellipsis size={15} aria-hidden />
      </ActionIcon>
      {isOpen && (
        <ul id={id}>
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

/** Members that are shown next to the actor. */
const SHOWN_ELSEWHERE = ["rawActorId", "submittedBy"];

/** onOpen: opens another entry in place of this one; without it, related entries link to their own pages. */
type Props = { entry: Entry; level?: 1 | 2; onOpen?: (id: string) => void };

/** Everything about one entry: actor, action, resource, origin, changes, and its position in the chain. */
export function EntryDetail({ entry, level = 2, onOpen }: Props) {
  const { zone } = useZone();
  const changes = changesOf(entry);
  const details = factsOf(entry.details, [...(changes?.members ?? []), ...SHOWN_ELSEWHERE]);
  return (
    <article className={classes.detail}>
      <Stack component="header" className={classes.head} gap={8} px="edge" py={20}>
        <Title order={level} className={classes.title}>
          <EntrySentence entry={entry} />
        </Title>
        <Group gap="4px 12px" fz="sm" c="dimmed">
          <ResultBadge result={entry.result} />
          <time dateTime={entry.timestamp}>{dateTime(entry.timestamp, zone)}</time>
          <span>{zoneName(zone, entry.timestamp)}</span>
        </Group>
        {entry.errorMessage && (
          <p className="tm-box" data-tone={entry.result === "denied" ? "warn" : "bad"}>
            {withVisibleMarks(entry.errorMessage)}
          </p>
        )}
      </Stack>
      <div className={classes.main}>
        <Facts entry={entry} />
        {changes && (
          <Section
            title="What changed"
            action={
              <Link href={comparePath(null, entry.id)} prefetch={false} className="tm-link" data-screen>
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
      </div>
      <div className={classes.side}>
        <Section title="Position in the chain" action={<ShareButton id={entry.id} />}>
          <ChainPanel entry={entry} />
        </Section>
        <Section
          title="Related entries, within five minutes"
          action={
            <Link href={aroundPath(entry.id)} className="tm-link" data-screen>
              Everything around this moment
            </Link>
          }
        >
          <Related entry={entry} onOpen={onOpen} />
        </Section>
        <RawEntry entry={entry} />
      </div>
    </article>
  );
}

function Section({ title, action, children }: { title: string; action?: ReactNode; children: ReactNode }) {
  return (
    <section className={classes.section} aria-label={title}>
      <Group justify="space-between" gap={8} mih={28} mb={8}>
        <Text fw={600}>{title}</Text>
        {action}
      </Group>
      {children}
    </section>
  );
}

/** The target's name; a device, organization, person or key is linked to its page. */
function TargetName({ entry }: { entry: Entry }) {
  const name = <span dir="auto">{withVisibleMarks(entry.resource.name)}</span>;
  const href = COLUMN.resourceType.page?.(entry);
  return href ? <PathLink href={href}>{name}</PathLink> : name;
}

/** column: the table column with the same value, whose pivots are offered. */
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
  const actorId = actorIdOf(entry);
  const actor = COLUMN.event.page?.(entry);
  const browser = describeAgent(entry.userAgent);
  return (
    <dl className={classes.facts}>
      <Fact name="Who" entry={entry} column="event">
        <Group component="span" gap="0 12px">
          {actor ? <PathLink href={actor}>{actorOf(entry)}</PathLink> : actorOf(entry)}
          <ActorType type={entry.actorType} />
        </Group>
        {entry.user.email && entry.user.email !== entry.user.name && <span>{entry.user.email}</span>}
        {actorId && <CopiedCode value={actorId} what="actor id" />}
        {entry.submittedBy && (
          <Group component="span" gap="0 12px">
            <PathLink href={actorPath(entry.submittedBy.keyId)}>
              <Via by={entry.submittedBy} />
            </PathLink>
            <CopiedCode value={entry.submittedBy.keyId} what="key id" />
          </Group>
        )}
      </Fact>
      <Fact name="What" entry={entry} column="action">
        <CopiedCode value={entry.action} what="action" />
        <span className="tm-quiet">{CATEGORY_LABEL[entry.category]}</span>
      </Fact>
      <Fact name="Target" entry={entry} column="resourceType">
        {entry.resource.name && <TargetName entry={entry} />}
        <span className="tm-quiet">{entry.resource.type}</span>
        {entry.resource.id && <CopiedCode value={entry.resource.id} what="resource id" />}
      </Fact>
      {organizations.length > 1 && (
        <Fact name="Organization" entry={entry} column="org">
          <PathLink href={`/organizations/${entry.orgId}`}>{nameOf(entry.orgId)}</PathLink>
        </Fact>
      )}
      <Fact name="From" entry={entry} column="ip">
        {entry.ipAddress ? (
          <CopiedCode value={entry.ipAddress} what="address" href={addressPath(entry.ipAddress)} />
        ) : (
          <span className="tm-quiet">No address recorded</span>
        )}
        {entry.firstSeen?.map((kind) => (
          <Text key={kind} span size="xs" c="var(--tm-warn)">
            {FIRST_SEEN_LABEL[kind]}
          </Text>
        ))}
        {browser && <span>{browser}</span>}
        {entry.userAgent && (
          <Text span size="xs" c="dimmed">
            {entry.userAgent}
          </Text>
        )}
      </Fact>
      <Fact name="When" entry={entry} column="time">
        <span>
          {dateTime(entry.timestamp, zone)} <span className="tm-quiet">{zoneName(zone, entry.timestamp)}</span>
        </span>
        <CopiedCode value={entry.timestamp} what="time in UTC" />
        <CopiedCode value={String(Date.parse(entry.timestamp) / 1000)} what="seconds since 1970" />
      </Fact>
    </dl>
  );
}

const ShareProof = dynamic(() => import("@/components/audit/share/share-proof").then((m) => m.ShareProof));

/** Opens the dialog that shares an entry's proof; requires the export permission. */
function ShareButton({ id }: { id: string }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  if (!useCan("audit:export")) return null;
  return (
    <>
      <Button size="compact-sm" variant="subtle" leftSection={<FileCheck2 size={14} aria-hidden />} onClick={open}>
        Share proof
      </Button>
      {isOpen && <ShareProof id={id} onClose={close} />}
    </>
  );
}
