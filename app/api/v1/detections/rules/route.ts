import { createRule, listRules } from "@/server/detections/rules";
import { route } from "@/server/doors/http/route";

export const GET = route(listRules, {
  summary: "The detection rules that the caller administers, those that come with the product included",
  auth: "user",
});

export const POST = route(createRule, {
  summary: "Add a detection rule in the supported part of Sigma 2.1; it begins with the next entry",
  auth: "user",
  status: 201,
});
