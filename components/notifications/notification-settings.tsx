"use client";

import { useCan } from "@/components/account/org";
import { PageHeader } from "@/components/ui/page-header";
import { DeliveryLog } from "./delivery-log";
import { SchedulesSection } from "./schedules-section";
import { SettingsSection } from "./settings-section";
import { WebhooksSection } from "./webhooks-section";

/** The user's own notifications and, for administrators, webhooks and the delivery log. */
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
