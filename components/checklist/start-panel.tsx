"use client";

import { Button } from "@mantine/core";
import Link from "next/link";
import classes from "./checklist.module.css";
import { STEPS, useChecklist } from "./use-checklist";

/** The next open step of the checklist with its link; shown on the home page until everything is done. */
export function StartPanel() {
  const { list, dismiss } = useChecklist();
  const next = list?.steps.find(({ done }) => !done);
  if (!list || !next || list.dismissed) return null;
  const { title, way } = STEPS[next.step];
  const done = list.steps.filter((step) => step.done).length;
  return (
    <aside className={classes.panel} aria-label="Getting started" data-screen>
      <p>
        <span className={classes.quiet}>
          Getting started, {done} of {list.steps.length} done. Next:
        </span>{" "}
        <strong>{title}</strong>
      </p>
      <div>
        {way && (
          <Button component={Link} href={way.href(list.orgId)} size="xs">
            {way.label}
          </Button>
        )}
        <Button
          component={Link}
          href="/start"
          prefetch={false}
          size="xs"
          variant="default"
          data-second={Boolean(way) || undefined}
        >
          All steps
        </Button>
        <Button
          size="xs"
          variant="subtle"
          color="gray"
          loading={dismiss.isPending}
          onClick={() => dismiss.mutate({ dismissed: true })}
        >
          Dismiss
        </Button>
      </div>
    </aside>
  );
}
