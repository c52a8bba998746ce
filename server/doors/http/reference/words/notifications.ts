import { ORG, THING, TIME } from "./samples";
import type { WordTable } from "./table";

const KINDS = ["chain.broken", "events.lost"];

/** Subjects of notifications. */
export const NOTIFICATIONS: WordTable[] = [
  {
    path: "/notifications",
    request: {
      status: ["Only open or only resolved ones", "open"],
      kind: ["Only of this kind", "chain.broken"],
      ids: ["Which ones; left out, all that the caller sees", []],
    },
    response: {
      data: "The notifications of the page, last changed first",
      id: ["Identifies the notification", THING],
      orgId: ["The organization that it is about", ORG],
      organization: ["Name of the organization", "Contoso"],
      kind: ["What kind of condition it is", "chain.broken"],
      label: "The kind in words",
      status: ["open while the condition holds, resolved once it is over", "open"],
      raisedAt: ["When it was raised; of a condition that another witness or endpoint joined, when that one did", TIME],
      resolvedAt: ["When the condition was over; null while it holds", null],
      batch: ["The same number for what was found at the same time", 7],
      isRead: ["Whether the caller has read it; false for programs", false],
      resolution: ["What was seen when it was over; null while it holds", null],
      unread: ["How many the caller has not read; what was found at once counts once", 1],
      open: ["How many are open, each organization's counted", 1],
    },
  },
  {
    path: "/webhooks",
    request: {
      "@query.orgId": "Only endpoints of this organization; by default all that the caller administers",
      orgId: ["Only conditions of this organization; null or left out: of all that the caller can see", ORG],
      id: ["Identifies the endpoint", THING],
      name: ["Name of the endpoint", "Incident desk"],
      kinds: ["Kinds of conditions that are sent to it", KINDS],
      disabled: "True stops it; false starts it again and forgets why it was disabled",
      overlapSeconds: [
        "For how many seconds messages are signed with the former secret as well; 0 for not at all",
        3600,
      ],
    },
    response: {
      id: ["Identifies the endpoint", THING],
      name: ["Name of the endpoint", "Incident desk"],
      url: ["Where messages are posted to", "https://hooks.example.com/trailmark"],
      kinds: ["Kinds of conditions that are sent to it", KINDS],
      orgId: ["The organization; null: all of the partner's", ORG],
      disabledAt: ["When it was disabled; null while it is not", null],
      disabledByFailure: [
        "Whether the server disabled it, because it answered 410 Gone or nothing could be delivered to it for 5 days",
        false,
      ],
      failingSince: ["Since when nothing was delivered, though tried; null where the last was", null],
      formerUntil: ["Until when messages are signed with the former secret as well; null for not", null],
    },
  },
  {
    path: "/deliveries",
    request: {
      id: ["Identifies the message", THING],
      endpointId: ["Only messages to this endpoint", THING],
      status: ["Only messages in this state", "failed"],
    },
  },
  {
    path: ["/deliveries", "/webhooks/{id}/test"],
    response: {
      data: "The messages of the page, newest first",
      id: ["Identifies the message", THING],
      channel: ["Posted to an endpoint, or mailed", "webhook"],
      endpointId: ["The endpoint; null for a mail", THING],
      orgId: ["The organization that it is about; null for none", ORG],
      type: "What is reported",
      subject: ["What it is about, in one line", "The audit chain of Contoso is broken"],
      status: ["pending, delivered, or failed for good", "delivered"],
      attempts: ["How often it was tried", 1],
      responseCode: "Status of the endpoint's last answer; null without one",
      error: ["Why the last attempt failed; null where it did not", null],
      lastAttemptAt: ["When it was last tried; null for never", TIME],
      nextAttemptAt: ["When it is tried next; null once it was delivered or given up", null],
      deliveredAt: ["When it was delivered; null while it is not", TIME],
    },
  },
];
