"use client";

import { useQuery } from "@tanstack/react-query";
import { Shield, ShieldCheck, ShieldQuestionMark, ShieldX } from "lucide-react";
import Link from "next/link";
import { useCan, useOrg } from "@/components/account/org";
import { count } from "@/components/format/amounts";
import { dateTime } from "@/components/format/time";
import { useZone } from "@/components/format/zone";
import { type Outputs, useTRPC } from "@/components/trpc";
import { Tip } from "@/components/ui/popover/tip";
import classes from "./integrity-badge.module.css";

const EVERY_MS = 60_000;

/** In the header of every page: whether the chain is intact, as far as is known; leads to it, of several to the customers. */
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
  const { zone } = useZone();
  const { state, word, told } = said({ broken, one: one?.name, isKnown: alarms.isSuccess, chain: status.data?.state });
  const more = status.data ? `, ${knownOf(status.data, zone)}` : "";
  const Icon = { intact: ShieldCheck, broken: ShieldX, unproven: ShieldQuestionMark, unknown: Shield }[state];
  return (
    <Tip label={`${told}${more}`}>
      <Link
        href={one ? `/integrity?orgId=${one.id}` : "/customers?show=chain"}
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

type Chain = Outputs["integrity"]["status"]["state"];
type Known = { broken: number; one: string | undefined; isKnown: boolean; chain: Chain | undefined };

function said({ broken, one, isKnown, chain }: Known) {
  if (broken > 0)
    return {
      state: "broken" as const,
      word: "Broken",
      told: one
        ? `The audit chain of ${one} is broken`
        : `${broken} audit ${broken === 1 ? "chain is" : "chains are"} broken`,
    };
  if (one && chain?.status === "intact")
    return {
      state: "intact" as const,
      word: "Intact",
      told: `The audit chain of ${one} is intact through entry ${count(chain.throughSeq ?? 0)}`,
    };
  if (one && chain?.status === "unproven")
    return {
      state: "unproven" as const,
      word: "Not proven",
      told: `The audit chain of ${one} is not proven: ${chain.reasons.join(" ").replace(/\.$/, "")}`,
    };
  if (!one && isKnown)
    return {
      state: "unknown" as const,
      word: "Integrity",
      told: "No alarm is open; each chain has a state of its own",
    };
  return { state: "unknown" as const, word: "Integrity", told: one ? `${one} has no entries yet` : "Not known yet" };
}
