import { getRule, removeRule, updateRule } from "@/server/detections/rules";
import { route } from "@/server/doors/http/route";

export const GET = route(getRule, { summary: "A detection rule", auth: "user" });

export const PATCH = route(updateRule, {
  summary: "Change a detection rule, turn it on or off, or snooze its notifications",
  auth: "user",
});

export const DELETE = route(removeRule, { summary: "Delete a detection rule; its alerts stay", auth: "user" });
