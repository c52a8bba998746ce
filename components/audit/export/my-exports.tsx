"use client";

import { ActionIcon, Group, type GroupProps, Progress, Stack, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Download, Trash2 } from "lucide-react";
import { useConfirmedDownload } from "@/components/confirmed-download";
import { bytes, count, counted } from "@/components/format/amounts";
import { When } from "@/components/format/when";
import { type Outputs, useTRPC } from "@/components/trpc";
import { errorText, Message } from "@/components/ui/notice";
import { MAX_UNPROVEN_ROWS } from "@/server/audit/vocabulary";

type Job = Outputs["exports"]["list"]["data"][number];

/** Poll interval while an export is in progress. */
const POLL_MS = 1_000;
const isUnderWay = ({ status }: Job): boolean => status === "waiting" || status === "running";

/** The user's background exports: their progress, and their files, which are kept for one day. */
export function MyExports() {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const list = useQuery(
    trpc.exports.list.queryOptions(undefined, {
      refetchInterval: ({ state }) => (state.data?.data.some(isUnderWay) ? POLL_MS : false),
    }),
  );
  const remove = useMutation(
    trpc.exports.remove.mutationOptions({
      onSettled: () => cache.invalidateQueries({ queryKey: trpc.exports.list.queryKey() }),
    }),
  );
  const jobs = list.data?.data ?? [];
  if (jobs.length === 0) return null;
  return (
    <section className="tm-ruled" aria-label="Your exports">
      <Title order={3} pt={16} pb={8}>
        Your exports
      </Title>
      <Stack component="ul" mah={280} style={{ overflowY: "auto" }}>
        {jobs.map((job) => (
          <Group component="li" key={job.id} gap="2px 8px" fz="sm">
            <span style={{ flex: 1, overflowWrap: "anywhere" }}>{job.fileName}</span>
            <ActionIcon
              variant="subtle"
              aria-label={`${isUnderWay(job) ? "Cancel" : "Delete"} ${job.fileName}`}
              onClick={() => remove.mutate({ id: job.id })}
            >
              <Trash2 size={15} aria-hidden />
            </ActionIcon>
            <JobState job={job} />
          </Group>
        ))}
      </Stack>
      {remove.error && <Message tone="bad">{errorText(remove.error)}</Message>}
    </section>
  );
}

const State = (props: GroupProps) => <Group className="tm-figures" gap="4px 16px" w="100%" c="dimmed" {...props} />;

function JobState({ job }: { job: Job }) {
  const { status, rowsDone, totalRows, sizeBytes } = job;
  const onDownload = useConfirmedDownload();
  if (status === "failed") return <State c="var(--mantine-color-error)">Failed. {job.error}</State>;
  if (status === "waiting") return <State>Queued</State>;
  if (status === "running")
    return (
      <State>
        <Progress
          flex="1 0 100%"
          value={totalRows ? (rowsDone / totalRows) * 100 : 0}
          aria-label={`Progress of ${job.fileName}`}
          size="sm"
        />
        {totalRows === null ? "Counting entries" : `${count(rowsDone)} of ${counted(totalRows, "entry", "entries")}`}
      </State>
    );
  return (
    <State>
      <a
        className="tm-link"
        href={`/api/v1/audit-logs/exports/${job.id}/file`}
        download={job.fileName}
        onClick={rowsDone > MAX_UNPROVEN_ROWS ? onDownload : undefined}
      >
        <Download size={14} aria-hidden /> Download
      </a>
      <span>
        {counted(rowsDone, "entry", "entries")}, {bytes(sizeBytes)}
      </span>
      <span>
        Available until <When at={job.expiresAt} />
      </span>
    </State>
  );
}
