"use client";

import { useQuery } from "@tanstack/react-query";
import { Check } from "lucide-react";
import Link from "next/link";
import { parseAsString, parseAsStringLiteral, useQueryState } from "nuqs";
import { type KeyboardEvent, type RefObject, useEffect, useRef } from "react";
import { useTRPC } from "@/components/trpc";
import { Failure, Message } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import type { ImportState } from "@/server/custom-fields/import/schema";
import { CheckStep } from "./check/check-step";
import { ReportStep, RunStep } from "./check/report-step";
import { FieldsStep } from "./fields/fields-step";
import { ValuesStep } from "./fields/values-step";
import classes from "./import.module.css";
import { ImportHome } from "./import-home";
import { usePlanDraft } from "./plan-draft";
import { SourceStep } from "./source/source-step";
import { currentStep, reachable, STEP_LABEL, STEPS, type Step, type StepProps } from "./steps";

/**
 * Moves the focus to the top of a new step, and there again when the focused button is replaced by a progress bar or
 * the progress bar by a result.
 * @returns the ref for the step's element
 */
function useStepFocus(step: string, isWorking: boolean, takesFocus: boolean): RefObject<HTMLElement | null> {
  const top = useRef<HTMLElement>(null);
  const shown = useRef(takesFocus ? "" : step);
  useEffect(() => {
    if (shown.current !== step) {
      top.current?.focus({ preventScroll: true });
      window.scrollTo({ top: 0 });
    }
    shown.current = step;
  }, [step]);
  const wasWorking = useRef(isWorking);
  useEffect(() => {
    const isLost = document.activeElement === null || document.activeElement === document.body;
    if (wasWorking.current !== isWorking && isLost) top.current?.focus({ preventScroll: true });
    wasWorking.current = isWorking;
  }, [isWorking]);
  return top;
}

const POLL_MS = 700;

/**
 * The six steps of an import. The step is in the URL, everything else on the server, so closing the tab loses nothing.
 * `takesFocus`: the user came from another view of the same page, so the focus moves to the start of the step.
 */
function Wizard({ id, takesFocus }: { id: string; takesFocus: boolean }) {
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
      {state && <Steps state={state} wanted={wanted} takesFocus={takesFocus} onStep={(step) => void setStep(step)} />}
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

const BODY: Record<Step, (props: StepProps) => React.ReactNode> = {
  source: SourceStep,
  fields: FieldsStep,
  values: ValuesStep,
  check: CheckStep,
  run: RunStep,
  report: ReportStep,
};

/** Enter continues when the step itself is focused, as in its text fields; an open list of options keeps Enter. */
function continueOnEnter(event: KeyboardEvent<HTMLElement>) {
  if (event.key !== "Enter" || event.defaultPrevented) return;
  if (event.target instanceof Element && event.target.role === "combobox") event.preventDefault();
  if (event.target !== event.currentTarget) return;
  event.currentTarget.querySelector<HTMLButtonElement>("button[type=submit]")?.click();
}

type StepsProps = Omit<StepProps, "draft"> & { wanted: Step | null; takesFocus: boolean };

function Steps({ state, wanted, takesFocus, onStep }: StepsProps) {
  const open = reachable(state);
  const step = wanted && open.includes(wanted) ? wanted : currentStep(state);
  const passed = Math.max(STEPS.indexOf(currentStep(state)), STEPS.indexOf(step));
  const Body = BODY[step];
  const top = useStepFocus(step, state.job !== null, takesFocus);
  // Shared by all steps, so that each saves on top of the previous changes.
  const draft = usePlanDraft(state);
  const goTo = (next: Step) => {
    void draft?.flush().catch(() => {});
    onStep(next);
  };
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
                onClick={() => goTo(name)}
              >
                <span className={classes.number}>
                  {i < passed && name !== step ? <Check size={13} aria-label="Done" /> : i + 1}
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
        onKeyDown={continueOnEnter}
      >
        <form noValidate onSubmit={(event) => event.preventDefault()}>
          <Body state={state} draft={draft} onStep={onStep} />
        </form>
      </section>
    </>
  );
}

/** The wizard of the import in the URL, otherwise the list of imports. */
export function ImportPage() {
  const [id] = useQueryState("import", parseAsString);
  const hasMounted = useRef(false);
  useEffect(() => {
    hasMounted.current = true;
  }, []);
  return id ? <Wizard key={id} id={id} takesFocus={hasMounted.current} /> : <ImportHome />;
}
