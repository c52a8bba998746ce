"use client";

import { Group, Stack, Text } from "@mantine/core";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { ShieldAlert, ShieldCheck, ShieldQuestionMark } from "lucide-react";
import type { Entry } from "@/components/audit/entry";
import { count } from "@/components/format/amounts";
import { dateTime } from "@/components/format/time";
import { useZone } from "@/components/format/zone";
import { type Outputs, UNBATCHED, useTRPC } from "@/components/trpc";
import { CopiedCode } from "@/components/ui/code/copied-code";
import { readErrorText } from "@/components/ui/notice";
import { Tag } from "@/components/ui/tag";
import { VERDICT_WORD } from "@/server/evidence/bundle/verdict";
import classes from "./chain-panel.module.css";

type Status = Outputs["integrity"]["entryStatus"];

/** An entry's position in the chain: its checksum and the previous entry's. */
export function ChainPanel({ entry: { id, chainSeq } }: { entry: Entry }) {
  const query = useQuery(useTRPC().integrity.entryStatus.queryOptions({ id }, { trpc: UNBATCHED, staleTime: 0 }));
  const seal = query.data;
  return (
    <>
      <EntryStatus query={query} />
      <ol>
        <li className={classes.link} data-current>
          <Text span size="sm">
            Entry {count(chainSeq)}
          </Text>
          {seal && <CopiedCode value={seal.checksum} what="checksum" />}
        </li>
        {seal && (
          <li className={classes.link}>
            {seal.prevChecksum ? (
              <>
                <Text span size="sm">
                  Previous entry
                </Text>
                <CopiedCode value={seal.prevChecksum} what="previous checksum" />
              </>
            ) : (
              <>
                <Text span size="sm">
                  Start of the chain
                </Text>
                <Text span size="sm" c="dimmed">
                  No previous checksum: this is the first entry, or the first one that retention kept.
                </Text>
              </>
            )}
          </li>
        )}
      </ol>
    </>
  );
}

/** Verifies the entry again on the server, and shows which checkpoint outside the database covers it. */
function EntryStatus({ query }: { query: UseQueryResult<Status, unknown> }) {
  const { zone } = useZone();
  if (query.isPending)
    return (
      <Text size="sm" c="dimmed" mb={12} role="status">
        Verifying this entry
      </Text>
    );
  if (query.isError)
    return (
      <Text size="sm" c="dimmed" mb={12} role="alert">
        {readErrorText(query.error)}
      </Text>
    );
  const { status, readAt, breaks, reasons, checkpoint, lastVerified } = query.data;
  const { Icon, title, tone } = SIGN[status];
  return (
    <Stack gap={4} mb={12} fz="sm" c="dimmed" role="status">
      <Group gap={6}>
        <strong>
          <Tag tone={tone} icon={Icon}>
            {title}
          </Tag>
        </strong>
        <span>contents and link checked {dateTime(readAt, zone)}</span>
      </Group>
      {breaks.map((found) => (
        <Break key={`${found.seq} ${found.kind}`} found={found} />
      ))}
      <p>
        {status === "intact" && checkpoint
          ? `Part of the checkpoint over entry ${count(checkpoint.seq)}, signed ${dateTime(checkpoint.signedAt, zone)}.`
          : reasons.join(" ")}{" "}
        {status === "unproven" && !checkpoint && "It can be proven once one does. "}
        {lastVerified
          ? `Last verified ${dateTime(lastVerified.at, zone)}: ${VERDICT_WORD[lastVerified.status].toLowerCase()}.`
          : "No verification of the whole chain has read it yet."}
      </p>
    </Stack>
  );
}

const SIGN = {
  intact: { Icon: ShieldCheck, title: "Verified", tone: "good" },
  broken: { Icon: ShieldAlert, title: "Broken", tone: "bad" },
  unproven: { Icon: ShieldQuestionMark, title: "Not proven", tone: "warn" },
} as const;

const BREAK_TEXT: Record<string, string> = {
  altered: "Its contents do not match its checksum.",
  relinked: "Its link does not match the entry before it.",
  missing: "An entry before it is missing.",
};

function Break({ found }: { found: Status["breaks"][number] }) {
  return (
    <div className="tm-box" data-tone="bad">
      <Text inherit fw={600}>
        {BREAK_TEXT[found.kind] ?? `Entry ${found.seq} is ${found.kind}.`}
      </Text>
      <p>
        expected <code>{found.expected}</code>
      </p>
      <p>
        found <code>{found.actual}</code>
      </p>
    </div>
  );
}
