"use client";

import { Button } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { count } from "@/components/format/amounts";
import { describeAgent } from "@/components/format/user-agent";
import { When } from "@/components/format/when";
import { useTRPC } from "@/components/trpc";
import { Confirm } from "@/components/ui/dialogs/confirm";
import { useDone } from "@/components/ui/dialogs/use-done";
import { Failure } from "@/components/ui/notice";
import { type Column, RecordTable } from "@/components/ui/record-table";
import { Section } from "@/components/ui/section";
import { StateTag } from "@/components/ui/state-tag";
import type { MySession } from "@/server/identity/me/schema";
import classes from "./profile.module.css";

const LOOPBACK = /^(127\.|::1$)/;
const PRIVATE = /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|f[cd]|fe80:)/i;

/** What an address itself reveals about the location; it is never sent to a lookup service. */
function locationOf(ip: string | null): string {
  if (!ip) return "Address not recorded";
  if (LOOPBACK.test(ip)) return `The server itself (${ip})`;
  return PRIVATE.test(ip) ? `Local network (${ip})` : ip;
}

const deviceOf = ({ userAgent }: MySession): string =>
  (userAgent && (describeAgent(userAgent) ?? userAgent.slice(0, 60))) || "Unknown device";

/** The user's sessions, which can be ended. */
export function SessionsSection() {
  const trpc = useTRPC();
  const list = useQuery(trpc.me.sessions.queryOptions());
  const [ending, setEnding] = useState<MySession | null>(null);
  const close = () => {
    setEnding(null);
    end.reset();
  };
  const end = useMutation(trpc.me.endSession.mutationOptions(useDone(close, trpc.me.sessions.pathFilter())));
  const columns: Column<MySession>[] = [
    {
      header: "Device",
      cell: (s) => (
        <div className={classes.rows}>
          {deviceOf(s)}
          <small>{s.via === "api" ? "API token" : "Browser"}</small>
        </div>
      ),
    },
    { header: "Location", cell: (s) => locationOf(s.ip), width: 240 },
    { header: "Signed in", cell: (s) => <When at={s.createdAt} />, width: 200, minor: true },
    { header: "Last used", cell: (s) => <When at={s.lastSeenAt} />, width: 200 },
    {
      header: "Actions",
      width: 140,
      align: "end",
      cell: (s) =>
        s.current ? (
          <StateTag tone="good">This session</StateTag>
        ) : (
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            onClick={() => setEnding(s)}
            aria-label={`End the session on ${deviceOf(s)}`}
          >
            End
          </Button>
        ),
    },
  ];
  const { data = [], total = 0 } = list.data ?? {};
  const part = total > data.length ? ` The ${count(data.length)} last used of ${count(total)} are shown.` : "";
  return (
    <Section title="Sessions" lead={`Where you are signed in. End what you do not recognize.${part}`} flush>
      {list.isError ? (
        <Failure error={list.error} onRetry={() => void list.refetch()} what="your sessions" />
      ) : (
        <RecordTable caption="Your sessions" columns={columns} rows={data} rowKey={(s) => s.id} />
      )}
      {ending && (
        <Confirm
          title="End session"
          action="End session"
          isBusy={end.isPending}
          error={end.error}
          onConfirm={() => end.mutate({ id: ending.id })}
          onClose={close}
        >
          {`${deviceOf(ending)}, ${locationOf(ending.ip)}, is signed out immediately.`}
        </Confirm>
      )}
    </Section>
  );
}
