"use client";

import { useEffect } from "react";
import { JobProgress } from "@/components/import/job-progress";
import type { StepProps } from "@/components/import/steps";

/** The progress of the run, until there is a report. */
export function RunStep({ state, onStep }: StepProps) {
  const hasEnded = state.status === "done" || state.status === "cancelled";
  useEffect(() => {
    if (hasEnded) onStep("report");
  }, [hasEnded, onStep]);
  return state.job && <JobProgress id={state.id} job={state.job} />;
}
