import type { ImportState } from "@/server/custom-fields/import/schema";
import type { PlanDraft } from "./plan-draft";

export const STEPS = ["source", "fields", "values", "check", "run", "report"] as const;
export type Step = (typeof STEPS)[number];

/** Props of every step: the import, its mapping while it is edited, and navigation to another step. */
export type StepProps = { state: ImportState; draft: PlanDraft; onStep: (step: Step) => void };
export const STEP_LABEL: Record<Step, string> = {
  source: "Source",
  fields: "Fields",
  values: "Values",
  check: "Check",
  run: "Run",
  report: "Report",
};

/** Once a run has started, the mapping can no longer change. */
const hasRun = (state: ImportState): boolean => state.startedAt !== null;
const hasEnded = (state: ImportState): boolean => ["done", "cancelled", "undone"].includes(state.status);

export function reachable(state: ImportState): readonly Step[] {
  if (hasEnded(state)) return ["check", "report"];
  if (hasRun(state)) return ["check", "run"];
  if (state.status === "checked") return ["source", "fields", "values", "check"];
  if (state.columns.length > 0) return ["source", "fields", "values", "check"];
  return ["source"];
}

/** The current step; opened by a link without a step. */
export function currentStep(state: ImportState): Step {
  if (hasEnded(state)) return "report";
  if (hasRun(state)) return "run";
  if (state.status === "checked" || state.job?.name === "check") return "check";
  return state.columns.length > 0 ? "fields" : "source";
}
