import { listDeliveries } from "@/server/notify/deliveries/list";
import { resendDelivery } from "@/server/notify/deliveries/resend";
import { testWebhook } from "@/server/notify/deliveries/send-test";
import { getSummary, listNotifications } from "@/server/notify/notifications/list";
import { markRead } from "@/server/notify/notifications/mark-read";
import { getSettings, setSettings } from "@/server/notify/notifications/settings";
import { createSchedule, listSchedules, removeSchedule } from "@/server/notify/report-schedules/schedules";
import { createWebhook } from "@/server/notify/webhooks/create";
import { listWebhooks } from "@/server/notify/webhooks/list";
import { removeWebhook } from "@/server/notify/webhooks/remove";
import { rotateWebhook } from "@/server/notify/webhooks/rotate";
import { updateWebhook } from "@/server/notify/webhooks/update";
import { mutation, query, router } from "./init";

export const notificationsRouter = router({
  list: query(listNotifications),
  summary: query(getSummary),
  read: mutation(markRead),
  settings: query(getSettings),
  setSettings: mutation(setSettings),
});

export const webhooksRouter = router({
  list: query(listWebhooks),
  create: mutation(createWebhook),
  update: mutation(updateWebhook),
  rotate: mutation(rotateWebhook),
  test: mutation(testWebhook),
  remove: mutation(removeWebhook),
});

/** Of the caller alone. */
export const reportSchedulesRouter = router({
  list: query(listSchedules),
  create: mutation(createSchedule),
  remove: mutation(removeSchedule),
});

export const deliveriesRouter = router({
  list: query(listDeliveries),
  resend: mutation(resendDelivery),
});
