"use client";

import { Button, Group, Radio, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useState } from "react";
import { useTRPC } from "@/components/trpc";
import { CopyLine } from "@/components/ui/dialogs/secret-dialog";
import { errorText, Failure, Message } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { StepList, useStepFocus } from "@/components/ui/steps";
import { useInvalidation } from "@/components/use-invalidation";
import type { Stream } from "@/server/notify/streams/schema";
import { CheckResult } from "./check-result";
import { ChoiceCards } from "./choice-cards";
import { CHOICE_NAMES, CHOICES, type Choice, choiceOf } from "./kinds";
import { WhatFields, WhereFields } from "./stream-fields";
import classes from "./streams.module.css";
import { useStreamForm } from "./use-stream-form";

const STEPS = ["where", "what", "check", "start"] as const;
type Step = (typeof STEPS)[number];
const STEP_LABEL: Record<Step, string> = { where: "Where", what: "What", check: "Check", start: "From when" };

const PARAMS = {
  to: parseAsStringLiteral(CHOICE_NAMES),
  draft: parseAsString,
  step: parseAsStringLiteral(STEPS).withDefault("where"),
};
const useParams = () => useQueryStates(PARAMS, { history: "push" });

/** Sets up a stream in four steps. After the first it is a draft on the server, and its address leads back to it. */
export function StreamWizard() {
  const [{ to, draft }] = useParams();
  // Steps are recreated for the draft, whose secret is shown only once.
  const [saved, setSaved] = useState<Saved | null>(null);
  const query = useQuery({
    ...useTRPC().streams.get.queryOptions({ id: draft ?? "" }),
    enabled: draft !== null,
  });
  const choice = query.data ? choiceOf(query.data) : to;
  return (
    <>
      <PageHeader
        title="New data stream"
        lead={choice ? `${CHOICES[choice].label}: ${CHOICES[choice].text}.` : "Where should entries go?"}
      />
      {draft && query.isError && (
        <Failure error={query.error} onRetry={() => void query.refetch()} what="this stream" />
      )}
      {draft && query.isPending && (
        <div role="status" aria-label="Loading the stream">
          <Skeleton height={28} width={280} m={24} />
        </div>
      )}
      {!draft && !choice && <ChoiceCards />}
      {choice && (!draft || query.data) && (
        <Steps key={draft ?? choice} choice={choice} stream={query.data} saved={saved} onSaved={setSaved} />
      )}
    </>
  );
}

type Saved = { secret: string | null };
type StepsProps = {
  choice: Choice;
  stream: Stream | undefined;
  saved: Saved | null;
  onSaved: (saved: Saved) => void;
};

function Steps({ choice, stream, saved, onSaved }: StepsProps) {
  const [{ step: wanted }, go] = useParams();
  const [isChecked, setIsChecked] = useState(false);
  const form = useStreamForm({
    choice,
    stream,
    onSaved({ id, secret }) {
      onSaved({ secret: secret ?? saved?.secret ?? null });
      setIsChecked(false);
      void go({ draft: id, step: "check" });
    },
    onRefused: () => void go({ step: "where" }),
  });
  const open: readonly Step[] = stream
    ? isChecked
      ? STEPS
      : ["where", "what", "check"]
    : form.missing().length === 0
      ? ["where", "what"]
      : ["where"];
  const step = open.includes(wanted) ? wanted : (open.at(-1) ?? "where");
  const top = useStepFocus(step, false, saved !== null);
  const steps = STEPS.map((name) => ({
    name,
    label: STEP_LABEL[name],
    isOpen: open.includes(name),
    isDone: STEPS.indexOf(name) < STEPS.indexOf(step),
  }));
  const onStep = (next: Step) => void go({ step: next });
  return (
    <>
      <StepList label="Steps of the setup" steps={steps} current={step} onStep={onStep} />
      <section
        ref={top}
        tabIndex={-1}
        className={classes.step}
        aria-label={`Step ${STEPS.indexOf(step) + 1} of 4: ${STEP_LABEL[step]}`}
      >
        {(step === "where" || step === "what") && (
          <SettingsStep step={step} choice={choice} stream={stream} of={form} onStep={onStep} />
        )}
        {stream && step === "check" && (
          <CheckStep stream={stream} secret={saved?.secret ?? null} onOk={() => setIsChecked(true)} onStep={onStep} />
        )}
        {stream && step === "start" && <StartStep stream={stream} />}
      </section>
    </>
  );
}

type SettingsProps = {
  step: "where" | "what";
  choice: Choice;
  stream: Stream | undefined;
  of: ReturnType<typeof useStreamForm>;
  onStep: (step: Step) => void;
};

function SettingsStep({ step, choice, stream, of, onStep }: SettingsProps) {
  const { form, missing, save } = of;
  const next = async (values: typeof form.values) => {
    const empty = missing();
    if (empty.length > 0)
      form.refuse(
        "",
        empty.map((path) => ({ path, message: "Required" })),
      );
    else if (step === "where") onStep("what");
    else await save(values);
    return undefined;
  };
  return (
    <form ref={form.element} onSubmit={form.onSubmit(next)} noValidate>
      <Stack gap="lg">
        {form.message && <Message tone="bad">{form.message}</Message>}
        {step === "where" ? (
          <WhereFields choice={choice} form={form} isNew={!stream} />
        ) : (
          <WhatFields choice={choice} of={of} isNew={!stream} />
        )}
        <Group gap="sm" pt="xs">
          {step === "what" && (
            <Button variant="default" onClick={() => onStep("where")}>
              Back
            </Button>
          )}
          <Button type="submit" loading={form.isBusy}>
            Next
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type CheckProps = { stream: Stream; secret: string | null; onOk: () => void; onStep: (step: Step) => void };

function CheckStep({ stream: { id }, secret, onOk, onStep }: CheckProps) {
  const check = useMutation(
    useTRPC().streams.check.mutationOptions({ onSuccess: ({ ok }) => (ok ? onOk() : undefined) }),
  );
  const run = () => check.mutate({ id, starts: false });
  const isOk = check.data?.ok === true && !check.isPending;
  return (
    <>
      {secret && (
        <CopyLine
          label="Signing secret"
          note="Shown only once. Give it to the receiver, which checks the signature of each batch with it."
          value={secret}
        />
      )}
      <Text size="sm" c="dimmed" maw={640}>
        The check tries the address, the connection, the sign-in and a write. It sends no entry.
      </Text>
      {check.error && <Message tone="bad">{errorText(check.error)}</Message>}
      {check.data && !check.isPending && <CheckResult check={check.data} />}
      {check.data && !check.isPending && !check.data.ok && (
        <Message tone="bad">Change the settings or the receiver, then check again.</Message>
      )}
      <Group gap="sm" pt="xs">
        <Button variant="default" onClick={() => onStep("where")}>
          Change settings
        </Button>
        <Button {...(isOk && { variant: "default" })} loading={check.isPending} onClick={run}>
          {check.data ? "Check again" : "Run the check"}
        </Button>
        {isOk && <Button onClick={() => onStep("start")}>Next</Button>}
      </Group>
    </>
  );
}

type Start = "now" | "beginning" | "date";

function StartStep({ stream }: { stream: Stream }) {
  const trpc = useTRPC();
  const router = useRouter();
  const [from, setFrom] = useState<Start>("now");
  const [date, setDate] = useState("");
  const stale = useInvalidation(trpc.streams.pathFilter());
  const update = useMutation(trpc.streams.update.mutationOptions());
  const resume = useMutation(trpc.streams.resume.mutationOptions(stale));
  const isArchive = stream.config?.archive === true;
  const start = async () => {
    const place = from === "date" ? new Date(`${date}T00:00:00Z`).toISOString() : from;
    if (!isArchive) await update.mutateAsync({ id: stream.id, start: place });
    await resume.mutateAsync({ id: stream.id });
    router.push(`/settings/streams/${stream.id}`);
  };
  const error = update.error ?? resume.error;
  return (
    <>
      {error && <Message tone="bad">{errorText(error)}</Message>}
      {isArchive ? (
        <Text size="sm" c="dimmed" maw={640}>
          An archive begins with the oldest entry, because retention may only remove what it holds. About one object a
          day is written for each organization.
        </Text>
      ) : (
        <Radio.Group
          label="Begin with"
          value={from}
          onChange={(value) => setFrom(value === "beginning" || value === "date" ? value : "now")}
        >
          <Stack gap="sm" mt="sm">
            <Radio value="now" label="The next entry" />
            <Radio value="beginning" label="The oldest entry" />
            <Radio value="date" label="The oldest entry of a day" />
          </Stack>
        </Radio.Group>
      )}
      {from === "date" && (
        <TextInput
          type="date"
          label="Day (UTC)"
          required
          value={date}
          onChange={(event) => setDate(event.currentTarget.value)}
        />
      )}
      <Group gap="sm" pt="xs">
        <Button component={Link} href="/settings/streams" variant="default">
          Leave as draft
        </Button>
        <Button
          disabled={from === "date" && !date}
          loading={update.isPending || resume.isPending}
          onClick={() => void start().catch(() => undefined)}
        >
          Start stream
        </Button>
      </Group>
    </>
  );
}
