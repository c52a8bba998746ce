"use client";

import { Button, Group } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Download, ShieldCheck } from "lucide-react";
import { parseAsIsoDateTime, useQueryStates } from "nuqs";
import { useRef, useState } from "react";
import type { Org } from "@/components/account/one-org";
import { useCan } from "@/components/account/org";
import { count, counted } from "@/components/format/amounts";
import { useElapsed } from "@/components/format/elapsed";
import { ALONE, type Outputs, useTRPC, useTRPCClient } from "@/components/trpc";
import { Message } from "@/components/ui/message";
import { Failure } from "@/components/ui/notice";
import { Breaks } from "./breaks";
import classes from "./integrity.module.css";
import { RangeFields } from "./range-fields";
import { Running } from "./running";
import { VerdictHead } from "./verdict-head";

type Found = Outputs["integrity"]["verify"];

const isoRange = ({ from, to }: { from: Date | null; to: Date | null }) => ({
  from: from?.toISOString(),
  to: to?.toISOString(),
});

/** rows: how many the chain holds, where that is known. */
type Props = { org: Org; rows: number | null };

/** Verifies a range of the chain, or the whole of it, and downloads it as a bundle. */
export function CheckRange({ org, rows }: Props) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const cache = useQueryClient();
  const mayExport = useCan("audit:export");
  const abort = useRef<AbortController | null>(null);
  const [runId, setRunId] = useState("");
  const [range, setRange] = useQueryStates({ from: parseAsIsoDateTime, to: parseAsIsoDateTime }, { history: "push" });
  const isBackward = Boolean(range.from && range.to && range.from > range.to);
  const verify = useMutation({
    mutationFn: () => {
      abort.current = new AbortController();
      const id = crypto.randomUUID();
      setRunId(id);
      return client.integrity.verify.mutate(
        { orgId: org.id, ...isoRange(range), runId: id },
        { signal: abort.current.signal, ...ALONE },
      );
    },
    onSuccess: () => cache.invalidateQueries(trpc.integrity.pathFilter()),
  });
  const seconds = useElapsed(verify.isPending);
  const wasCancelled = verify.isError && abort.current?.signal.aborted;
  return (
    <>
      <form
        className={classes.check}
        onSubmit={(event) => {
          event.preventDefault();
          verify.mutate();
        }}
      >
        <RangeFields
          range={range}
          onRange={(next) => {
            verify.reset();
            void setRange(next);
          }}
          error={isBackward ? "Start is after the end" : null}
        />
        <Group gap={8}>
          <Button
            type="submit"
            disabled={isBackward || verify.isPending}
            leftSection={<ShieldCheck size={15} aria-hidden />}
          >
            Verify now
          </Button>
          {mayExport && <Evidence org={org} range={isoRange(range)} isDisabled={isBackward} />}
        </Group>
      </form>
      <div aria-live="polite" className={classes.found}>
        {verify.isPending && (
          <Running
            runId={runId}
            total={range.from || range.to ? null : rows}
            seconds={seconds}
            onCancel={() => abort.current?.abort()}
          />
        )}
        {wasCancelled && <Message tone="warn">Cancelled. Nothing was verified, and nothing was changed.</Message>}
        {verify.data && <Result found={verify.data} seconds={seconds} isWhole={!range.from && !range.to} />}
      </div>
      {verify.isError && !wasCancelled && (
        <Failure error={verify.error} onRetry={() => verify.mutate()} what="the verification" />
      )}
    </>
  );
}

function Evidence({
  org,
  range,
  isDisabled,
}: {
  org: Org;
  range: Record<string, string | undefined>;
  isDisabled: boolean;
}) {
  const query = new URLSearchParams({ orgId: org.id });
  for (const [name, value] of Object.entries(range)) if (value) query.set(name, value);
  return (
    <Button
      component="a"
      href={isDisabled ? undefined : `/api/v1/audit-logs/evidence?${query}`}
      download
      variant="default"
      leftSection={<Download size={15} aria-hidden />}
    >
      Download evidence bundle
    </Button>
  );
}

function Result({ found, seconds, isWhole }: { found: Found; seconds: number; isWhole: boolean }) {
  const took = `Read in ${seconds.toFixed(1)} s.`;
  const span =
    found.firstSeq !== null && found.lastSeq !== null
      ? `entries ${count(found.firstSeq)} to ${count(found.lastSeq)}`
      : "no entries";
  if (found.status === "empty")
    return (
      <VerdictHead kind="empty" title={isWhole ? "The chain is empty" : "No entries in this range"}>
        {took}
      </VerdictHead>
    );
  if (found.status === "intact")
    return (
      <VerdictHead kind="intact" title={isWhole ? "Intact, from the first entry to the last" : "Intact in this range"}>
        {counted(found.rowsChecked, "entry", "entries")} checked, {span}. {took}
      </VerdictHead>
    );
  return (
    <>
      <VerdictHead kind="broken" title={`Broken in ${counted(found.breaks.length, "place")}`}>
        {counted(found.rowsChecked, "entry", "entries")} checked, {span}. {took}
      </VerdictHead>
      <Breaks breaks={found.breaks} rowHref={(id) => `/audit/${id}`} />
    </>
  );
}
