"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { count } from "@/components/format/amounts";
import { describeAgent } from "@/components/format/user-agent";
import { When } from "@/components/format/when";
import { useTRPC } from "@/components/trpc";
import { onePage } from "@/components/ui/paged-list";
import { RecordSection, type RowAction } from "@/components/ui/record-section";
import { StateTag } from "@/components/ui/state-tag";
import { useInvalidation } from "@/components/use-invalidation";
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
  const list = useQuery(trpc.me.sessions.queryOptions(undefined, { select: onePage }));
  const end = useMutation(trpc.me.endSession.mutationOptions(useInvalidation(trpc.me.sessions.pathFilter())));
  const { data = [], pagination: { total } = { total: 0 } } = list.data ?? {};
  const part = total > data.length ? ` The ${count(data.length)} last used of ${count(total)} are shown.` : "";
  const ending = (session: MySession): RowAction => ({
    verb: "End",
    label: `End the session on ${deviceOf(session)}`,
    confirm: {
      title: "End session",
      text: `${deviceOf(session)}, ${locationOf(session.ip)}, is signed out immediately.`,
      action: "End session",
      by: end,
    },
  });
  return (
    <RecordSection
      level="section"
      title="Sessions"
      lead={`Where you are signed in. End what you do not recognize.${part}`}
      what="your sessions"
      caption="Your sessions"
      list={list}
      columns={[
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
      ]}
      actions={{
        width: 140,
        of: (s) => (s.current ? [] : [ending(s)]),
        otherwise: () => <StateTag tone="good">This session</StateTag>,
      }}
      empty={{ title: "No sessions" }}
    />
  );
}
