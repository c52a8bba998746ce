"use client";

import { Checkbox, MultiSelect, Tabs } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { parseAsInteger, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useCan, useMe } from "@/components/account/org";
import { useTRPC } from "@/components/trpc";
import { errorText, Failure, Message } from "@/components/ui/notice";
import { PageHeader, Section } from "@/components/ui/page-header";
import { TabList } from "@/components/ui/tab-list";
import { KIND_NAMES, KINDS, type NotificationKind } from "@/server/notify/vocabulary";
import { DeliveryLog } from "./delivery-log";
import classes from "./notifications.module.css";
import { SchedulesSection } from "./schedules-section";
import { WebhooksSection } from "./webhooks-section";

const TABS = ["alarms", "reports", "webhooks"] as const;

/** The user's own notifications, scheduled reports and, for administrators, webhooks and the delivery log. */
export function NotificationSettings() {
  const mayManage = useCan("audit:manage");
  const mayExport = useCan("audit:export");
  const [{ tab }, setView] = useQueryStates(
    { tab: parseAsStringLiteral(TABS).withDefault("alarms"), page: parseAsInteger },
    { history: "push" },
  );
  return (
    <>
      <PageHeader title="Notification settings" />
      <Tabs
        value={tab}
        onChange={(value) => setView({ tab: TABS.find((name) => name === value) ?? null, page: null })}
        keepMounted={false}
      >
        <TabList label="Notification settings" chosen={tab}>
          <Tabs.Tab value="alarms">Alarms</Tabs.Tab>
          {mayExport && <Tabs.Tab value="reports">Scheduled reports</Tabs.Tab>}
          {mayManage && <Tabs.Tab value="webhooks">Webhooks</Tabs.Tab>}
        </TabList>
        <Tabs.Panel value="alarms">
          <SettingsSection />
        </Tabs.Panel>
        <Tabs.Panel value="reports">{mayExport && <SchedulesSection />}</Tabs.Panel>
        <Tabs.Panel value="webhooks">
          {mayManage && <WebhooksSection />}
          {mayManage && <DeliveryLog />}
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

const toggled = (kinds: readonly NotificationKind[], kind: NotificationKind): NotificationKind[] =>
  kinds.includes(kind) ? kinds.filter((one) => one !== kind) : [...kinds, kind];

const CHANNELS = [
  { way: "in the product", member: "productKinds" },
  { way: "by e-mail", member: "mailKinds" },
] as const;

function SettingsSection() {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const { organizations } = useMe();
  const settings = useQuery(trpc.notifications.settings.queryOptions());
  const save = useMutation(
    trpc.notifications.setSettings.mutationOptions({
      onSuccess: (saved) => {
        cache.setQueryData(trpc.notifications.settings.queryKey(), saved);
        return cache.invalidateQueries(trpc.notifications.pathFilter());
      },
    }),
  );
  if (settings.isError)
    return <Failure error={settings.error} onRetry={() => void settings.refetch()} what="your settings" />;
  const { organizationIds = null, mailConfigured = true } = settings.data ?? {};
  return (
    <Section
      title="For you"
      lead="Each choice is saved immediately. E-mail is sent at most every 15 minutes, as one message."
    >
      {save.isError && <Message tone="bad">{errorText(save.error)}</Message>}
      {!mailConfigured && <Message tone="warn">No mail server yet: e-mail starts once one is set up.</Message>}
      {(organizations.length > 1 || organizationIds !== null) && (
        <MultiSelect
          label="Organizations"
          mt="md"
          description="All organizations if empty"
          data={organizations.map(({ id, name }) => ({ value: id, label: name }))}
          value={organizationIds ?? []}
          onChange={(ids) => save.mutate({ organizationIds: ids.length > 0 ? ids : null })}
          searchable
          clearable
          disabled={!settings.data}
          maw={480}
          mb="md"
          clearButtonProps={{ "aria-label": "Clear organizations" }}
        />
      )}
      <table className={classes.kinds}>
        <thead>
          <tr>
            <th scope="col">Kind</th>
            <th scope="col">In the product</th>
            <th scope="col">By e-mail</th>
          </tr>
        </thead>
        <tbody>
          {KIND_NAMES.map((kind) => (
            <tr key={kind}>
              <th scope="row">
                {KINDS[kind].label}
                <small>{KINDS[kind].means}</small>
              </th>
              {CHANNELS.map(({ way, member }) => {
                const kinds = settings.data?.[member] ?? [];
                return (
                  <td key={member}>
                    <Checkbox
                      aria-label={`${KINDS[kind].label} ${way}`}
                      checked={kinds.includes(kind)}
                      disabled={!settings.data || save.isPending}
                      onChange={() => save.mutate({ [member]: toggled(kinds, kind) })}
                    />
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}
