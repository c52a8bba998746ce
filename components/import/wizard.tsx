"use client";

import { useQuery } from "@tanstack/react-query";
import { Check } from "lucide-react";
import Link from "next/link";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { useEffect, useRef } from "react";
import type { ImportState } from "@/server/custom-fields/import/schema";
import { Message } from "../shell/message";
import { Failure } from "../shell/notice";
import { PageHeader } from "../shell/page-header";
import { useTRPC } from "../trpc";
import { CheckStep } from "./check-step";
import { FieldsStep } from "./fields-step";
import classes from "./import.module.css";
import { ReportStep } from "./report-step";
import { RunStep } from "./run-step";
import { SourceStep } from "./source-step";
import { currentStep, reachable, STEP_LABEL, STEPS, type Step } from "./steps";
import { ValuesStep } from "./values-step";

const POLL_MS = 700;

/** Six steps over one import. The step is in the address, everything else on the server: a closed tab loses nothing. */
export function Wizard({ id }: { id: string }) {
  const query = useQuery(
    useTRPC().imports.get.queryOptions({ id }, { refetchInterval: (q) => (q.state.data?.job ? POLL_MS : false) }),
  );
  const [wanted, setStep] = useQueryState("step", parseAsStringLiteral(STEPS).withOptions({ history: "push" }));
  const state = query.data;
  return (
    <>
      <PageHeader title="Import custom fields" lead={state && <Lead state={state} />} />
      {query.isError && !state && (
        <Failure error={query.error} onRetry={() => void query.refetch()} what="this import" />
      )}
      {state && <Steps state={state} wanted={wanted} onStep={(step) => void setStep(step)} />}
    </>
  );
}

function Lead({ state }: { state: ImportState }) {
  return (
    <span className={classes.words}>
      <span>{state.files.map((file) => file.name).join(", ") || "No file yet"}</span>
      <Link href="/settings/custom-fields/import" className="tm-link">
        All imports
      </Link>
    </span>
  );
}

export type StepProps = { state: ImportState; onStep: (step: Step) => void };

const BODY: Record<Step, (props: StepProps) => React.ReactNode> = {
  source: SourceStep,
  fields: FieldsStep,
  values: ValuesStep,
  check: CheckStep,
  run: RunStep,
  report: ReportStep,
};

function Steps({ state, wanted, onStep }: { state: ImportState; wanted: Step | null; onStep: (step: Step) => void }) {
  const open = reachable(state);
  const step = wanted && open.includes(wanted) ? wanted : currentStep(state);
  const Body = BODY[step];
  const top = useRef<HTMLElement>(null);
  const shown = useRef(step);
  // After a step has changed the keyboard goes on where the new one begins.
  useEffect(() => {
    if (shown.current !== step) {
      top.current?.focus({ preventScroll: true });
      window.scrollTo({ top: 0 });
    }
    shown.current = step;
  }, [step]);
  return (
    <>
      <nav aria-label="Steps of the import">
        <ol className={classes.steps}>
          {STEPS.map((name, i) => (
            <li key={name} data-current={name === step || undefined} data-open={open.includes(name) || undefined}>
              <button
                type="button"
                disabled={!open.includes(name)}
                aria-current={name === step ? "step" : undefined}
                onClick={() => onStep(name)}
              >
                <span className={classes.number}>
                  {STEPS.indexOf(currentStep(state)) > i ? <Check size={13} aria-label="Done" /> : i + 1}
                </span>
                {STEP_LABEL[name]}
              </button>
            </li>
          ))}
        </ol>
      </nav>
      {state.error && (
        <div className={classes.error}>
          <Message tone="bad">{state.error}</Message>
        </div>
      )}
      <section
        ref={top}
        tabIndex={-1}
        className={classes.body}
        aria-label={`Step ${STEPS.indexOf(step) + 1} of 6: ${STEP_LABEL[step]}`}
      >
        <Body state={state} onStep={onStep} />
      </section>
    </>
  );
}
