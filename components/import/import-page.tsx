"use client";

import { Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { parseAsString, parseAsStringLiteral, useQueryState } from "nuqs";
import { type KeyboardEvent, useEffect, useRef } from "react";
import { useTRPC } from "@/components/trpc";
import { Failure, Message } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { StepList, useStepFocus } from "@/components/ui/steps";
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
    <Group component="span" gap="4px 16px">
      <span>{state.files.map((file) => file.name).join(", ") || "No file yet"}</span>
      <Link href="/settings/custom-fields/import" className="tm-link">
        All imports
      </Link>
    </Group>
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
    void draft.flush().catch(() => {});
    onStep(next);
  };
  return (
    <>
      <StepList
        label="Steps of the import"
        steps={STEPS.map((name, i) => ({
          name,
          label: STEP_LABEL[name],
          isOpen: open.includes(name),
          isDone: i < passed,
        }))}
        current={step}
        onStep={goTo}
      />
      <section
        ref={top}
        tabIndex={-1}
        className={classes.body}
        aria-label={`Step ${STEPS.indexOf(step) + 1} of 6: ${STEP_LABEL[step]}`}
        onKeyDown={continueOnEnter}
      >
        <form noValidate onSubmit={(event) => event.preventDefault()}>
          {state.error && <Message tone="bad">{state.error}</Message>}
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
