"use client";

import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { parseAsString, useQueryState } from "nuqs";
import { useCan, useMe, useOrg } from "@/components/account/org";
import { When } from "@/components/format/when";
import { useTRPC } from "@/components/trpc";
import { usePage } from "@/components/ui/paged-list";
import { RecordSection, type RowAction } from "@/components/ui/record-section";
import { StateTag } from "@/components/ui/state-tag";
import { useInvalidation } from "@/components/use-invalidation";
import type { DetectionRule } from "@/server/detections/schema";
import { capitalized } from "@/server/ground/text";
import { DAY_MS } from "@/server/ground/time/durations";

const RuleDialog = dynamic(() => import("./rule-dialog").then((m) => m.RuleDialog), { ssr: false });

const NEEDS_FULL_ACCESS = "this rule is for all organizations, and you have access to chosen ones only";

/** Detection rules: built-in ones and the caller's own. */
export function RulesPage() {
  const trpc = useTRPC();
  const { orgId, nameOf } = useOrg();
  const { allOrganizations } = useMe();
  const mayChange = useCan("detections:manage");
  const [page, setPage] = usePage();
  const [filter, setFilter] = useQueryState("filter", parseAsString);
  const list = useQuery(trpc.detections.rules.queryOptions({ page, orgId }, { placeholderData: keepPreviousData }));
  const stale = useInvalidation(trpc.detections.pathFilter());
  const update = useMutation(trpc.detections.updateRule.mutationOptions(stale));
  const remove = useMutation(trpc.detections.removeRule.mutationOptions(stale));
  const actionsOf = (rule: DetectionRule): RowAction[] => {
    const { id, title, enabled, shipped } = rule;
    const toggle = enabled ? "Turn off" : "Turn on";
    const snooze = isSnoozed(rule) ? "End snooze" : "Snooze";
    const snoozedUntil = isSnoozed(rule) ? null : new Date(Date.now() + DAY_MS).toISOString();
    const actions: RowAction[] = [
      {
        verb: shipped ? "View" : "Edit",
        label: `${shipped ? "View" : "Edit"} ${title}`,
        dialog: (onClose) => <RuleDialog rule={rule} onClose={onClose} />,
      },
      { verb: toggle, label: `${toggle} ${title}`, run: () => update.mutate({ id, enabled: !enabled }) },
    ];
    if (enabled)
      actions.push({ verb: snooze, label: `${snooze} ${title}`, run: () => update.mutate({ id, snoozedUntil }) });
    if (!shipped)
      actions.push({
        verb: "Delete",
        label: `Delete ${title}`,
        confirm: { title: `Delete ${title}`, text: "Its alerts stay.", action: "Delete rule", by: remove },
      });
    const disabledReason = rule.orgId === null && !allOrganizations ? NEEDS_FULL_ACCESS : undefined;
    return actions.map((action) => ({ ...action, disabledReason }));
  };
  return (
    <>
      <RecordSection
        level="page"
        title="Detection rules"
        lead="Each new entry of the audit log is compared with these rules. A match raises an alert."
        what="the rules"
        list={list}
        onPage={setPage}
        columns={[
          {
            header: "Rule",
            cell: ({ title }) => title,
            note: ({ shipped, createdByName }) => (shipped ? "Comes with Trailmark" : `Created by ${createdByName}`),
          },
          { header: "Organization", cell: (r) => (r.orgId ? nameOf(r.orgId) : "All organizations"), width: 160 },
          { header: "Level", cell: ({ level }) => capitalized(level), width: 110, minor: true },
          { header: "State", cell: StateOf, note: snoozeOf, width: 150 },
        ]}
        actions={mayChange ? { width: 290, of: actionsOf } : undefined}
        create={mayChange ? { label: "New rule", dialog: (onClose) => <RuleDialog onClose={onClose} /> } : undefined}
        empty={{ title: "No rules", text: "Rules of your service provider are not listed here." }}
        error={update.error}
      />
      {filter && mayChange && <RuleDialog filter={filter} onClose={() => void setFilter(null)} />}
    </>
  );
}

/** True while its alerts are raised without notifications. */
const isSnoozed = ({ snoozedUntil }: DetectionRule) => snoozedUntil !== null && Date.parse(snoozedUntil) > Date.now();

function StateOf(rule: DetectionRule) {
  if (!rule.enabled) return <StateTag tone="off">Off</StateTag>;
  if (isSnoozed(rule)) return <StateTag tone="warn">Snoozed</StateTag>;
  return rule.cappedAt ? <StateTag tone="warn">Capped</StateTag> : <StateTag tone="good">On</StateTag>;
}

const snoozeOf = (rule: DetectionRule) =>
  rule.enabled &&
  isSnoozed(rule) && (
    <>
      until <When at={rule.snoozedUntil} />
    </>
  );
