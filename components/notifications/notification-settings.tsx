"use client";

import { useCan } from "@/components/account/org";
import { PageHeader } from "@/components/ui/page-header";
import { DeliveryLog } from "./delivery-log";
import { SchedulesSection } from "./schedules-section";
import { SettingsSection } from "./settings-section";
import { WebhooksSection } from "./webhooks-section";

/** What the person is notified of, and, for administrators, which programs are notified and what was sent. */
export function NotificationSettings() {
  const mayManage = useCan("audit:manage");
  const mayExport = useCan("audit:export");
  return (
    <>
      <PageHeader title="Notification settings" lead="Who is notified of what, and how." />
      <SettingsSection />
      {mayExport && <SchedulesSection />}
      {mayManage && <WebhooksSection />}
      {mayManage && <DeliveryLog />}
    </>
  );
}
