"use client";

import { Button, Skeleton } from "@mantine/core";
import { CircleCheck, CircleDashed } from "lucide-react";
import Link from "next/link";
import { When } from "@/components/format/when";
import { Failure, Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import type { Checklist, Step } from "@/server/setup/checklist/schema";
import classes from "./checklist.module.css";
import { STEPS, useChecklist } from "./use-checklist";

/** Purpose and command of each step; separate from its name, which more pages show. */
const PURPOSES: Record<Step, { what: string; command?: string }> = {
  organization: {
    what: "Each customer has its own organization, with its own audit chain, retention and users.",
  },
  enrollment_key: {
    what: "The customer's devices join the organization with it. It is shown once, with the command that uses it.",
  },
  agent: {
    what: "Run the key's command on a device. This step is ticked off when the agent first reports.",
  },
  verified: {
    what: "The agent's first actions are in the audit log. Verify the chain once yourself; a nightly run keeps checking it.",
  },
  backup: {
    what: "Run this on the server, and repeat it regularly: a backup restores nothing that was recorded after it. Backups created by other means are not detected.",
    command: "npm run trailmark -- backup",
  },
  witness: {
    what: "A witness outside your control cosigns each checkpoint, so that not even you could rewrite history unnoticed. Set this variable to the path of its policy file and restart the server.",
    command: "TRAILMARK_WITNESS_POLICY_FILE",
  },
  two_factor: {
    what: "An authenticator app or a passkey.",
  },
};

/** The setup checklist. Steps are checked off by the actual state of the installation. */
export function StartPage() {
  const { query, list, dismiss } = useChecklist();
  const done = list?.steps.filter((step) => step.done).length ?? 0;
  const isWhole = list !== null && done === list.steps.length;
  return (
    <>
      <PageHeader
        title="Getting started"
        lead={
          list
            ? isWhole
              ? "Everything is done."
              : `${done} of ${list.steps.length} done. Steps are ticked off automatically.`
            : null
        }
      >
        {list && !isWhole && (
          <Button
            variant="default"
            loading={dismiss.isPending}
            onClick={() => dismiss.mutate({ dismissed: !list.dismissed })}
          >
            {list.dismissed ? "Show this checklist on the home page" : "Hide this checklist"}
          </Button>
        )}
      </PageHeader>
      {query.isPending && (
        <div role="status" aria-label="Loading the checklist">
          <Skeleton height={240} />
        </div>
      )}
      {query.isError && <Failure error={query.error} onRetry={() => void query.refetch()} what="the checklist" />}
      {query.isSuccess && !list && (
        <Notice title="Nothing left for you to do here">The operator of this installation sets it up.</Notice>
      )}
      {list && <Steps list={list} />}
    </>
  );
}

function Steps({ list }: { list: Checklist }) {
  const next = list.steps.find(({ done }) => !done)?.step;
  return (
    <ol className={classes.steps}>
      {list.steps.map(({ step, done }) => (
        <li key={step} data-done={done || undefined} aria-current={step === next ? "step" : undefined}>
          {done ? <CircleCheck size={20} aria-hidden /> : <CircleDashed size={20} aria-hidden />}
          <StepItem step={step} done={done} list={list} isNext={step === next} />
        </li>
      ))}
    </ol>
  );
}

type StepItemProps = { step: Step; done: boolean; list: Checklist; isNext: boolean };

function StepItem({ step, done, list, isNext }: StepItemProps) {
  const { title, way } = STEPS[step];
  const { what, command } = PURPOSES[step];
  return (
    <div>
      <h2>
        {title}
        <small>{done ? " Done" : " To do"}</small>
      </h2>
      {step === "backup" && list.lastBackupAt && (
        <p>
          Last backup: <When at={list.lastBackupAt} />
        </p>
      )}
      {!done && (
        <>
          <p>{what}</p>
          {command && <code>{command}</code>}
          {way && (
            <Button component={Link} href={way.href(list.orgId)} size="xs" variant={isNext ? "filled" : "default"}>
              {way.label}
            </Button>
          )}
        </>
      )}
    </div>
  );
}
