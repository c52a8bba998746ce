"use client";

import { useQuery } from "@tanstack/react-query";
import { Shield, ShieldCheck, ShieldX } from "lucide-react";
import Link from "next/link";
import { useCan, useOrg } from "@/components/account/org";
import { count } from "@/components/format/amounts";
import { dateTime } from "@/components/format/time";
import { useZone } from "@/components/format/zone";
import { type Outputs, useTRPC } from "@/components/trpc";
import { Tip } from "@/components/ui/popover/tip";
import classes from "./integrity-badge.module.css";

const EVERY_MS = 60_000;

/** In the header of every page: whether the chain is intact, as far as is known; links to the page with the details. */
export function IntegrityBadge() {
  return useCan("audit:read") ? <Badge /> : null;
}

function Badge() {
  const trpc = useTRPC();
  const { org, organizations } = useOrg();
  const one = org ?? (organizations.length === 1 ? organizations[0] : undefined);
  const again = { refetchInterval: EVERY_MS };
  const alarms = useQuery(trpc.integrity.alarms.queryOptions(undefined, again));
  const status = useQuery({ ...trpc.integrity.status.queryOptions({ orgId: one?.id }, again), enabled: Boolean(one) });
  const broken = (alarms.data ?? []).filter((alarm) => !one || alarm.orgId === one.id).length;
  const target = one ?? organizations.find((o) => o.id === alarms.data?.[0]?.orgId);
  const { zone } = useZone();
  const { state, word, told } = said({ broken, one: one?.name, isKnown: alarms.isSuccess, last: status.data?.last });
  const more = status.data ? `, ${knownOf(status.data, zone)}` : "";
  const Icon = { intact: ShieldCheck, broken: ShieldX, unknown: Shield }[state];
  return (
    <Tip label={`${told}${more}`}>
      <Link
        href={target ? `/integrity?orgId=${target.id}` : "/integrity"}
        className={classes.badge}
        data-state={state}
        aria-label={`${word}. ${told}${more}`}
        prefetch={false}
      >
        <Icon size={16} strokeWidth={1.75} aria-hidden />
        <span>{word}</span>
      </Link>
    </Tip>
  );
}

/** "13,216 entries checked on 20 Nov 2026, 03:10:02, anchored until entry 13,216 of 20 Nov 2026, 18:35:01" */
function knownOf({ last, anchored }: Outputs["integrity"]["status"], zone: string): string {
  const checked = last && `${count(last.rowsChecked)} entries checked on ${dateTime(last.ranAt, zone)}`;
  const until = anchored ? `entry ${count(anchored.seq)} of ${dateTime(anchored.signedAt, zone)}` : "nothing yet";
  return [checked, `anchored until ${until}`].filter(Boolean).join(", ");
}

type Known = { broken: number; one: string | undefined; isKnown: boolean; last?: { status: string } | null };

function said({ broken, one, isKnown, last }: Known) {
  if (broken > 0)
    return {
      state: "broken" as const,
      word: "Broken",
      told: one
        ? `The audit chain of ${one} is broken`
        : `${broken} audit ${broken === 1 ? "chain is" : "chains are"} broken`,
    };
  if (one && last?.status === "intact")
    return { state: "intact" as const, word: "Intact", told: `The audit chain of ${one} is intact` };
  if (!one && isKnown)
    return { state: "intact" as const, word: "No breaks", told: "No audit chain is known to be broken" };
  return { state: "unknown" as const, word: "Integrity", told: "The audit chain has not been verified yet" };
}
