"use client";

import { Button, UnstyledButton } from "@mantine/core";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import Link from "next/link";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { useState } from "react";
import { useCan, useOrg } from "@/components/account/org";
import { counted } from "@/components/format/amounts";
import { When } from "@/components/format/when";
import { useTRPC } from "@/components/trpc";
import { FilterSelect } from "@/components/ui/filter-select";
import { ListTools, usePage } from "@/components/ui/paged-list";
import { RecordSection, type RowAction } from "@/components/ui/record-section";
import { StateTag, type Tone } from "@/components/ui/state-tag";
import { useInvalidation } from "@/components/use-invalidation";
import type { Alert } from "@/server/detections/schema";
import { ALERT_STATE_LABEL, ALERT_STATES } from "@/server/detections/vocabulary";
import { keysOf } from "@/server/ground/records";
import { capitalized } from "@/server/ground/text";

const AlertDialog = dynamic(() => import("./alert-dialog").then((m) => m.AlertDialog), { ssr: false });

const TONE: Record<Alert["state"], Tone> = { open: "bad", acknowledged: "warn", closed: "off" };
const OPTIONS = keysOf(ALERT_STATE_LABEL).map((value) => ({ value, label: ALERT_STATE_LABEL[value] }));

/** Alerts of detection rules in the caller's organizations. */
export function AlertsPage() {
  const trpc = useTRPC();
  const { orgId } = useOrg();
  const mayChange = useCan("detections:respond");
  const [page, setPage] = usePage();
  const [state, setState] = useQueryState("state", parseAsStringLiteral(ALERT_STATES));
  const [opened, setOpened] = useState<string | null>(null);
  const input = { page, orgId, state: state ?? undefined };
  const list = useQuery(trpc.detections.alerts.queryOptions(input, { placeholderData: keepPreviousData }));
  const update = useMutation(
    trpc.detections.updateAlert.mutationOptions(useInvalidation(trpc.detections.pathFilter())),
  );
  const actionsOf = ({ id, title, state: now }: Alert): RowAction[] => [
    { verb: "Open", label: `Open ${title}`, run: () => setOpened(id) },
    ...(mayChange && now === "open"
      ? [
          {
            verb: "Acknowledge",
            label: `Acknowledge ${title}`,
            run: () => update.mutate({ id, state: "acknowledged" }),
          },
        ]
      : []),
  ];
  return (
    <>
      <RecordSection
        level="page"
        title="Alerts"
        lead="Findings of detection rules in the audit log. Each alert names its entries, and is an entry of the log itself."
        what="the alerts"
        list={list}
        onPage={setPage}
        columns={[
          {
            header: "Alert",
            cell: ({ id, title }) => (
              <UnstyledButton onClick={() => setOpened(id)} fw={500}>
                {title}
              </UnstyledButton>
            ),
            note: ({ entryCount, assigneeName }) =>
              [counted(entryCount, "entry", "entries"), assigneeName].filter(Boolean).join(" · "),
          },
          { header: "Organization", cell: ({ organization }) => organization, width: 160 },
          { header: "Level", cell: ({ level }) => capitalized(level), width: 110, minor: true },
          { header: "Raised", cell: ({ raisedAt }) => <When at={raisedAt} />, width: 176 },
          {
            header: "State",
            cell: ({ state: one }) => <StateTag tone={TONE[one]}>{ALERT_STATE_LABEL[one]}</StateTag>,
            width: 140,
          },
        ]}
        actions={{ width: 190, of: actionsOf }}
        buttons={
          <Button component={Link} href="/settings/detections" variant="default">
            Detection rules
          </Button>
        }
        empty={{ title: "No alerts", text: state ? "No alert is in this state." : "No rule has found anything." }}
        error={update.error}
      >
        <ListTools>
          <FilterSelect label="State" options={OPTIONS} value={state} onChange={(value) => void setState(value)} />
        </ListTools>
      </RecordSection>
      {opened && <AlertDialog id={opened} onClose={() => setOpened(null)} />}
    </>
  );
}
