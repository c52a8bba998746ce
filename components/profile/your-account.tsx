"use client";

import { Button, PasswordInput, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMe } from "@/components/account/org";
import { roleName } from "@/components/account/roles";
import { count } from "@/components/format/amounts";
import { describeAgent } from "@/components/format/user-agent";
import { When } from "@/components/format/when";
import { useTRPC } from "@/components/trpc";
import { useForm } from "@/components/ui/dialogs/use-form";
import { Message } from "@/components/ui/notice";
import { PageHeader, Section } from "@/components/ui/page-header";
import { onePage } from "@/components/ui/paged-list";
import { RecordSection, type RowAction } from "@/components/ui/record-section";
import { StateTag } from "@/components/ui/state-tag";
import { useInvalidation } from "@/components/use-invalidation";
import { MIN_PASSWORD_LENGTH } from "@/server/identity/auth/schema";
import { type MySession, passwordInput } from "@/server/identity/me/schema";
import { TwoFactorSection } from "./two-factor-section";

const NONE = { currentPassword: "", newPassword: "" };

/** Changes the user's password, which ends their other sessions, and reports how many. */
function PasswordSection() {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const form = useForm(NONE);
  const change = useMutation(
    trpc.me.changePassword.mutationOptions({
      onSuccess: () => {
        form.set("currentPassword", "");
        form.set("newPassword", "");
        return cache.invalidateQueries(trpc.me.sessions.pathFilter());
      },
    }),
  );
  const ended = change.data?.endedSessions ?? 0;
  return (
    <Section title="Password">
      <form
        ref={form.element}
        onSubmit={form.onSubmit((values) => form.send(passwordInput, change, values))}
        style={{ maxWidth: 400 }}
        noValidate
      >
        <Stack gap="md">
          {form.message && <Message tone="bad">{form.message}</Message>}
          {change.isSuccess && !form.message && (
            <Text role="status" c="var(--tm-ok)">
              Password changed. {ended > 0 && `${ended} other ${ended === 1 ? "session has" : "sessions have"} ended.`}
            </Text>
          )}
          <PasswordInput
            label="Current password"
            required
            autoComplete="current-password"
            {...form.field("currentPassword")}
          />
          <PasswordInput
            label="New password"
            description={`At least ${MIN_PASSWORD_LENGTH} characters. Changing it ends your other sessions.`}
            required
            autoComplete="new-password"
            {...form.field("newPassword")}
          />
          <div>
            <Button type="submit" loading={form.isBusy}>
              Change password
            </Button>
          </div>
        </Stack>
      </form>
    </Section>
  );
}

const LOOPBACK = /^(127\.|::1$)/;
const PRIVATE = /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|f[cd]|fe80:)/i;

/** The location that an address itself reveals; it is never sent to a lookup service. */
function locationOf(ip: string | null): string {
  if (!ip) return "Address not recorded";
  if (LOOPBACK.test(ip)) return `This server (${ip})`;
  return PRIVATE.test(ip) ? `Local network (${ip})` : ip;
}

const deviceOf = ({ userAgent }: MySession): string =>
  (userAgent && (describeAgent(userAgent) ?? userAgent.slice(0, 60))) || "Unknown device";

/** The user's sessions, which can be ended. */
function SessionsSection() {
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
      lead={`Where you are signed in. End sessions you don't recognize.${part}`}
      what="your sessions"
      caption="Your sessions"
      list={list}
      columns={[
        {
          header: "Device",
          cell: (s) => (
            <div>
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

/** The user's own account: password, second factors and sessions. */
export function YourAccount() {
  const { user } = useMe();
  return (
    <>
      <PageHeader
        title="Your account"
        lead={[user.name, user.email, roleName(user.role)].filter(Boolean).join(" · ")}
      />
      <PasswordSection />
      <TwoFactorSection />
      <SessionsSection />
    </>
  );
}
