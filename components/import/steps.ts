import type { ImportState } from "@/server/custom-fields/import/schema";
import type { PlanDraft } from "./fields/plan-draft";

export const STEPS = ["source", "fields", "values", "check", "run", "report"] as const;
export type Step = (typeof STEPS)[number];

/** What the page of every step gets: the import as it stands, its mapping as it is edited, the way to another step. */
export type StepProps = { state: ImportState; draft: PlanDraft | null; onStep: (step: Step) => void };
export const STEP_LABEL: Record<Step, string> = {
  source: "Source",
  fields: "Fields",
  values: "Values",
  check: "Check",
  run: "Run",
  report: "Report",
};

/** Whether a run has begun: from then on the mapping stands. */
const hasRun = (state: ImportState): boolean => state.startedAt !== null;
const hasEnded = (state: ImportState): boolean => ["done", "cancelled", "undone"].includes(state.status);

/** The steps that an import can be shown at. */
export function reachable(state: ImportState): readonly Step[] {
  if (hasEnded(state)) return ["check", "report"];
  if (hasRun(state)) return ["check", "run"];
  if (state.status === "checked") return ["source", "fields", "values", "check"];
  if (state.columns.length > 0) return ["source", "fields", "values", "check"];
  return ["source"];
}

/** How far an import has come: what a link without a step opens. */
export function currentStep(state: ImportState): Step {
  if (hasEnded(state)) return "report";
  if (hasRun(state)) return "run";
  if (state.status === "checked") return "check";
  return state.columns.length > 0 ? "fields" : "source";
}
