import { listDeliveries } from "@/server/deliveries/list";
import { resendDelivery } from "@/server/deliveries/resend";
import { testWebhook } from "@/server/deliveries/send-test";
import { getSummary, listNotifications } from "@/server/notifications/list";
import { markRead } from "@/server/notifications/mark-read";
import { getSettings, setSettings } from "@/server/notifications/settings";
import { createSchedule, listSchedules, removeSchedule } from "@/server/report-schedules/schedules";
import { createWebhook } from "@/server/webhooks/create";
import { listWebhooks } from "@/server/webhooks/list";
import { removeWebhook } from "@/server/webhooks/remove";
import { rotateWebhook } from "@/server/webhooks/rotate";
import { updateWebhook } from "@/server/webhooks/update";
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
