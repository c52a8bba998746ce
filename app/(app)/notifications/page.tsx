import type { Metadata } from "next";
import { Guarded } from "@/components/frame/guarded";
import { NotificationsPage } from "@/components/notifications/notifications-page";

export const metadata: Metadata = { title: "Notifications" };

export default function Page() {
  return (
    <Guarded permission="audit:read" title="Notifications" what="notifications">
      <NotificationsPage />
    </Guarded>
  );
}
