"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { Fragment, type ReactNode } from "react";
import { useCan, useOrg } from "@/components/account/org";
import { actorPath, addressPath } from "@/components/audit/entry";
import { When } from "@/components/format/when";
import { useTRPC } from "@/components/trpc";
import { CopiedCode } from "@/components/ui/code/copied-code";
import { joinValues } from "@/server/audit/query/values";
import { withVisibleMarks } from "@/server/ground/text";
import type { Fact, IdOf, NamedFact } from "./fact";
import classes from "./facts.module.css";

/** Labeled facts; nested ones are indented under their label. */
export function DetailFacts({ facts }: { facts: NamedFact[] }) {
  return (
    <dl className={classes.facts}>
      {facts.map(({ path, label, fact }) => (
        <Fragment key={path}>
          <dt>{label}</dt>
          <dd>{fact.kind === "group" ? <DetailFacts facts={fact.facts} /> : <FactValue fact={fact} />}</dd>
        </Fragment>
      ))}
    </dl>
  );
}

/** A formatted fact, with times in the display zone; an id links to its object, if that exists. */
export function FactValue({ fact }: { fact: Exclude<Fact, { kind: "group" }> }) {
  if (fact.kind === "time") return <When at={fact.at} />;
  if (fact.kind === "address") return <PathLink href={addressPath(fact.address)}>{fact.address}</PathLink>;
  if (fact.kind === "id") return <IdLink id={fact.id} of={fact.of} />;
  return fact.kind === "code" ? (
    <CopiedCode value={fact.text} what="value" />
  ) : (
    <span className={classes.text} dir="auto">
      {withVisibleMarks(fact.text)}
    </span>
  );
}

/** A name or value linked to its page. */
export const PathLink = ({ href, children }: { href: string; children: ReactNode }) => (
  <Link href={href} prefetch={false} className="tm-link">
    {children}
  </Link>
);

function IdLink({ id, of }: { id: string; of: IdOf }) {
  const { organizations } = useOrg();
  if (of === "device") return <DeviceLink id={id} />;
  if (of === "session")
    return <PathLink href={`/?${new URLSearchParams({ session: joinValues([id]) })}`}>{id}</PathLink>;
  if (of === "actor") return <PathLink href={actorPath(id)}>{id}</PathLink>;
  if (of === "entry") return <PathLink href={`/audit/${id}`}>{id}</PathLink>;
  const known = organizations.find((organization) => organization.id === id);
  return known ? (
    <PathLink href={`/organizations/${id}`}>{known.name}</PathLink>
  ) : (
    <CopiedCode value={id} what="organization id" />
  );
}

/** The device's name, if it still exists and the user may see it. */
function DeviceLink({ id }: { id: string }) {
  const mayRead = useCan("devices:read");
  const query = useQuery({ ...useTRPC().devices.get.queryOptions({ id }, { retry: false }), enabled: mayRead });
  return query.data ? (
    <PathLink href={`/devices/${id}`}>{query.data.hostname}</PathLink>
  ) : (
    <CopiedCode value={id} what="device id" />
  );
}
