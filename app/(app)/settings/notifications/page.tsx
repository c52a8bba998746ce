import type { Metadata } from "next";
import { Prefetched, trpc } from "@/app/trpc-server";
import { Guarded } from "@/components/frame/guarded";
import { NotificationSettings } from "@/components/notifications/settings-section";

export const metadata: Metadata = { title: "Notification settings" };

export default function Page() {
  return (
    <Prefetched queries={[trpc.notifications.settings.queryOptions()]}>
      <Guarded permission="audit:read" title="Notification settings" what="notifications">
        <NotificationSettings />
      </Guarded>
    </Prefetched>
  );
}
