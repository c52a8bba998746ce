"use client";

import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useState } from "react";
import { useOrgName } from "@/components/account/org";
import { count } from "@/components/format/amounts";
import { When } from "@/components/format/when";
import { useTRPC } from "@/components/trpc";
import { RecordSection, type RowAction } from "@/components/ui/record-section";
import { StateTag, type Tone } from "@/components/ui/state-tag";
import type { Restoration } from "@/server/notify/streams/archive/schema";

const RestoredEntries = dynamic(() => import("./restored-entries").then((m) => m.RestoredEntries), { ssr: false });

const STATE: Record<Restoration["state"], { tone: Tone; label: string }> = {
  running: { tone: "off", label: "Being restored" },
  ready: { tone: "good", label: "Restored" },
  failed: { tone: "bad", label: "Failed" },
};
const REFRESH_MS = 2_000;

/** The ranges that stand beside the log at the moment. */
export function RestoredRanges({ orgId }: { orgId: string | undefined }) {
  const nameOf = useOrgName();
  const [opened, setOpened] = useState<string | null>(null);
  const list = useQuery(
    useTRPC().archive.restorations.queryOptions(
      { orgId },
      {
        refetchInterval: ({ state: { data } }) =>
          data?.data.some(({ state }) => state === "running") ? REFRESH_MS : false,
      },
    ),
  );
  const actionsOf = ({ id, state, first, last }: Restoration): RowAction[] =>
    state === "ready"
      ? [{ verb: "Open", label: `Open restored entries ${first} to ${last}`, run: () => setOpened(id) }]
      : [];
  return (
    <>
      <RecordSection
        level="section"
        title="Restored ranges"
        lead="Copies beside the log: no part of it, of its exports or of its proofs. Each is removed after 24 hours."
        what="the restored ranges"
        list={list}
        columns={[
          {
            header: "Entries",
            cell: ({ first, last, orgId: of, error }) => (
              <>
                {`${count(first)} to ${count(last)}`}
                <small>{error ?? nameOf(of)}</small>
              </>
            ),
          },
          { header: "Until", cell: ({ expiresAt }) => <When at={expiresAt} />, width: 176 },
          {
            header: "State",
            cell: ({ state }) => <StateTag tone={STATE[state].tone}>{STATE[state].label}</StateTag>,
            width: 150,
          },
        ]}
        actions={{ width: 90, of: actionsOf }}
        empty={{ title: "Nothing is restored" }}
      />
      {opened && <RestoredEntries id={opened} onClose={() => setOpened(null)} />}
    </>
  );
}
