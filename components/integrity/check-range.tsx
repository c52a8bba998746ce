"use client";

import { Button, Group, Input, NumberInput, Progress, SegmentedControl } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Download, ShieldCheck } from "lucide-react";
import { useQueryStates } from "nuqs";
import { useRef, useState } from "react";
import type { Org } from "@/components/account/one-org";
import { useCan } from "@/components/account/org";
import { count, counted } from "@/components/format/amounts";
import { useElapsed } from "@/components/format/clock";
import { randomUuid } from "@/components/format/random-uuid";
import { When } from "@/components/format/when";
import { useRequestedAction } from "@/components/requested-action";
import { type Outputs, UNBATCHED, useTRPC, useTRPCClient } from "@/components/trpc";
import { errorText, Failure, Message } from "@/components/ui/notice";
import { Breaks } from "./breaks";
import { useEvidence } from "./evidence";
import classes from "./integrity.module.css";
import {
  faultOf,
  isWhole,
  modeOf,
  PART_PARAMS,
  type Part,
  type RangeMode,
  scopeOf,
  titleOf,
  toInput,
  WHOLE,
} from "./part";
import { RangeFields } from "./range-fields";
import { VerdictHead } from "./verdict-head";

const POLL_MS = 250;

/** total: entries of the whole chain; null for a range, whose size is not known beforehand. */
type RunningProps = { runId: string; total: number | null; seconds: number; onCancel: () => void };

/** A verification in progress: rows read, total, elapsed time, and a cancel button. */
function Running({ runId, total, seconds, onCancel }: RunningProps) {
  const progress = useQuery(
    useTRPC().integrity.progress.queryOptions({ runId }, { trpc: UNBATCHED, refetchInterval: POLL_MS }),
  );
  const rows = progress.data?.rows ?? 0;
  return (
    <Group gap="md" mx="edge">
      <span className="tm-figures">
        Verifying every entry: {count(rows)}
        {total === null ? " entries" : ` of ${count(total)} entries`}, {seconds.toFixed(1)} s
      </span>
      {total !== null && (
        <Progress
          value={total > 0 ? Math.min(100, (rows / total) * 100) : 0}
          aria-label="Entries read"
          size="sm"
          flex="1 1 120px"
          maw={280}
        />
      )}
      <Button variant="default" size="xs" onClick={onCancel}>
        Cancel
      </Button>
    </Group>
  );
}

const RANGE_MODES: { value: RangeMode; label: string }[] = [
  { value: "time", label: "By time" },
  { value: "sequence", label: "By entry" },
];

type PartFieldsProps = { part: Part; onPart: (part: Part) => unknown };

/** The ends of a range, as times in the display zone or as sequence numbers; an empty one is open. */
function PartFields({ part, onPart }: PartFieldsProps) {
  const [mode, setMode] = useState<RangeMode>("time");
  const given = modeOf(part);
  if (given && given !== mode) setMode(given);
  const RangeEnds = mode === "time" ? Times : Sequences;
  return (
    <>
      <Input.Wrapper label="Range" labelElement="div">
        <SegmentedControl
          display="flex"
          w="fit-content"
          aria-label="Range by time or by entry"
          data={RANGE_MODES}
          value={mode}
          onChange={(next) => {
            setMode(next);
            onPart(WHOLE);
          }}
        />
      </Input.Wrapper>
      <RangeEnds part={part} onPart={onPart} />
    </>
  );
}

const errorAt = (part: Part, end: "from" | "to"): string | null => {
  const fault = faultOf(part);
  return fault?.end === end ? fault.text : null;
};

function Times({ part, onPart }: PartFieldsProps) {
  return <RangeFields range={part} onRange={(range) => onPart({ ...part, ...range })} error={errorAt(part, "from")} />;
}

function Sequences({ part, onPart }: PartFieldsProps) {
  const field = (end: "from" | "to", label: string) => {
    const member = `${end}Seq` as const;
    return {
      label,
      error: errorAt(part, end),
      value: part[member] ?? "",
      onChange: (value: string | number) =>
        onPart({ ...part, [member]: typeof value === "number" && Number.isSafeInteger(value) ? value : null }),
      allowDecimal: false,
      allowNegative: false,
      maxLength: MAX_DIGITS,
      thousandSeparator: ",",
      hideControls: true,
      w: 150,
    };
  };
  return (
    <>
      <NumberInput {...field("from", "First entry")} placeholder="the first" />
      <NumberInput {...field("to", "Last entry")} placeholder="the newest" />
    </>
  );
}

/** Including separators; longer than any sequence number. */
const MAX_DIGITS = 15;

type Found = Outputs["integrity"]["verify"];

/** rows: the length of the chain, if known; prunedUnder: the window under which retention removed its oldest entries. */
type Props = { org: Org; rows: number | null; prunedUnder: string | null };

/** Verifies the chain or a range of it, and downloads it as a bundle. */
export function CheckRange({ org, rows, prunedUnder }: Props) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const cache = useQueryClient();
  const mayExport = useCan("audit:export");
  const abort = useRef<AbortController | null>(null);
  const [runId, setRunId] = useState("");
  const [part, setPart] = useQueryStates(PART_PARAMS, { history: "push" });
  const isFaulty = faultOf(part) !== null;
  const verify = useMutation({
    // Whatever changes the range, Back included, ends the display of another range's result.
    mutationKey: [part],
    mutationFn: (asked: Part) => {
      abort.current = new AbortController();
      const id = randomUuid();
      setRunId(id);
      return client.integrity.verify.mutate(
        { orgId: org.id, ...toInput(asked), runId: id },
        { signal: abort.current.signal, ...UNBATCHED },
      );
    },
    onSuccess: () => cache.invalidateQueries(trpc.integrity.pathFilter()),
  });
  const seconds = useElapsed(verify.isPending);
  useRequestedAction("verify", isFaulty || verify.isPending ? null : () => verify.mutate(part));
  const wasCancelled = verify.isError && abort.current?.signal.aborted;
  return (
    <>
      <form
        className="tm-fields"
        onSubmit={(event) => {
          event.preventDefault();
          verify.mutate(part);
        }}
      >
        <PartFields
          part={part}
          // Typing digits must not add history entries.
          onPart={(next) => setPart(next, { history: modeOf(next) === "sequence" ? "replace" : "push" })}
        />
        <Group gap={8}>
          <Button
            type="submit"
            disabled={isFaulty || verify.isPending}
            leftSection={<ShieldCheck size={15} aria-hidden />}
          >
            Verify now
          </Button>
          {mayExport && <Evidence org={org} part={part} />}
        </Group>
      </form>
      <div aria-live="polite" className={classes.found}>
        {verify.isPending && (
          <Running
            runId={runId}
            total={isWhole(verify.variables) ? rows : null}
            seconds={seconds}
            onCancel={() => abort.current?.abort()}
          />
        )}
        {wasCancelled && <Message tone="warn">Cancelled. Nothing was verified, and nothing was changed.</Message>}
        {verify.isSuccess && (
          <Result found={verify.data} seconds={seconds} part={verify.variables} prunedUnder={prunedUnder} />
        )}
      </div>
      {verify.isError && !wasCancelled && (
        <Failure
          error={verify.error}
          text={errorText(verify.error)}
          onRetry={() => verify.mutate(part)}
          what="the verification"
        />
      )}
    </>
  );
}

function Evidence({ org, part }: { org: Org; part: Part }) {
  const { isAlarmed, link } = useEvidence(org.id, toInput(part));
  return (
    <Button
      component="a"
      {...link}
      {...(faultOf(part) && { href: undefined })}
      variant="default"
      leftSection={<Download size={15} aria-hidden />}
    >
      {isAlarmed ? "Download evidence bundle, with its alarm" : "Download evidence bundle"}
    </Button>
  );
}

type ResultProps = { found: Found; part: Part; seconds: number; prunedUnder: string | null };

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
