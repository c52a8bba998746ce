import { backtestRule } from "@/server/detections/backtest";
import { route } from "@/server/doors/http/route";

export const POST = route(backtestRule, {
  summary: "The alerts that a detection rule would have raised over the last days",
  auth: "user",
});
