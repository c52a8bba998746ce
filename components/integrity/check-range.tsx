"use client";

import { Button, Group } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Download, ShieldCheck } from "lucide-react";
import { parseAsIsoDateTime, useQueryStates } from "nuqs";
import { useRef, useState } from "react";
import type { Org } from "@/components/account/one-org";
import { useCan } from "@/components/account/org";
import { useAsked } from "@/components/asked";
import { count, counted } from "@/components/format/amounts";
import { useElapsed } from "@/components/format/elapsed";
import { When } from "@/components/format/when";
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
  useAsked("verify", isBackward || verify.isPending ? null : () => verify.mutate());
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

type ResultProps = { found: Found; seconds: number; isWhole: boolean };

/** What was read and, of a range, how much of it was asked for; never more than that. */
function scopeOf({ found, seconds, isWhole }: ResultProps): string {
  const { rowsChecked, rowsRead, firstSeq, lastSeq } = found;
  const span = firstSeq !== null && lastSeq !== null ? `, entries ${count(firstSeq)} to ${count(lastSeq)}` : "";
  const took = `Read in ${seconds.toFixed(1)} s.`;
  if (isWhole) return `${counted(rowsChecked, "entry", "entries")} checked${span}. ${took}`;
  return `${counted(rowsChecked, "entry", "entries")} in the range${span}; the whole chain of ${count(rowsRead)} was read for it. ${took}`;
}

function titleOf({ found, isWhole }: ResultProps): string {
  if (found.status === "empty") return isWhole ? "The chain is empty" : "No entries in this range";
  if (found.status === "unproven") return isWhole ? "Not proven, whole chain" : "Not proven in this range";
  if (found.status === "broken") return `Broken in ${counted(found.breaks.length, "place")}`;
  if (!isWhole) return "Intact in this range";
  const { covered, lastSeq } = found;
  return covered.lastSeq === lastSeq
    ? "Intact, from the first entry to the last"
    : `Intact, from the first entry to entry ${count(covered.lastSeq ?? 0)}`;
}

function Result(props: ResultProps) {
  const { found } = props;
  const { checkpoint } = found.covered;
  return (
    <>
      <VerdictHead kind={found.status} title={titleOf(props)}>
        {scopeOf(props)} {found.reasons.join(" ")}
        {found.status === "intact" && checkpoint && (
          <>
            {" "}
            Covered by the checkpoint over {counted(checkpoint.size, "entry", "entries")}, signed{" "}
            <When at={checkpoint.signedAt} />.
          </>
        )}
      </VerdictHead>
      {found.breaks.length > 0 && <Breaks breaks={found.breaks} rowHref={(id) => `/audit/${id}`} />}
    </>
  );
}
