"use client";

import { Button, Group, Text, Title } from "@mantine/core";
import { CircleAlert, Inbox, type LucideIcon, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import classes from "./notice.module.css";

const ICON = { bad: CircleAlert, warn: TriangleAlert };

export function Message({ tone, children }: { tone: "bad" | "warn"; children: ReactNode }) {
  const Icon = ICON[tone];
  return (
    <Group
      className="tm-box"
      data-tone={tone}
      role={tone === "bad" ? "alert" : "status"}
      gap="sm"
      align="flex-start"
      wrap="nowrap"
    >
      <Icon size={16} strokeWidth={1.75} style={{ flex: "none", marginTop: 2 }} aria-hidden />
      <span>{children}</span>
    </Group>
  );
}

type NoticeProps = {
  icon?: LucideIcon;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  role?: "alert" | "status";
};

/** Shown in place of rows when there are none. */
export function Notice({ icon: Icon = Inbox, title, children, action, role }: NoticeProps) {
  return (
    <div className={classes.notice} role={role}>
      <Icon size={22} strokeWidth={1.5} className={classes.icon} aria-hidden />
      <Title order={2}>{title}</Title>
      {children && (
        <Text component="div" c="dimmed" maw={440}>
          {children}
        </Text>
      )}
      {action}
    </div>
  );
}

/** No results for a search or filter, with a button to clear it. */
export function NoMatch({ search, onClear }: { search: string | null; onClear: () => void }) {
  return (
    <Notice
      title={search ? `No results for "${search}"` : "No matches"}
      action={
        <Button variant="default" onClick={onClear}>
          Clear the search
        </Button>
      }
    />
  );
}

export type FieldError = { path: string; message: string };
type Problem = { detail: string; code: string; requestId: string; errors?: FieldError[] };

/** The server's problem details of a failed call; undefined when the server could not be reached. */
export const problemOf = (error: unknown): Problem | undefined =>
  (error as { data?: { problem?: Problem } } | null)?.data?.problem;

/** The server's error message; without an answer, that the request's outcome is unknown. */
export const errorText = (error: unknown): string =>
  problemOf(error)?.detail ?? "The server could not be reached. Whether the request was processed is not known.";

/** Error text of a request that only reads. */
export const readErrorText = (error: unknown): string =>
  problemOf(error)?.detail ?? "The server could not be reached. Nothing was changed.";

type Asked = { isError: boolean; error: unknown; refetch: () => unknown };

/** The error of a query, if it failed. */
export const QueryFailure = ({ query, what }: { query: Asked; what: string }) =>
  query.isError && <Failure error={query.error} onRetry={() => void query.refetch()} what={what} />;

/** text: the error in words; by default for a request that only reads. */
type FailureProps = { error: unknown; onRetry?: () => void; what: string; text?: string };

/** An error with its request id for the log, and a retry button where retrying can help. */
export function Failure({ error, onRetry, what, text = readErrorText(error) }: FailureProps) {
  const problem = problemOf(error);
  const denied = problem?.code === "forbidden";
  const missing = problem?.code === "not_found";
  const title = denied ? `You don't have access to ${what}` : `Could not ${missing ? "find" : "load"} ${what}`;
  return (
    <Notice
      icon={CircleAlert}
      role="alert"
      title={title}
      action={
        onRetry && !denied && !missing ? (
          <Button variant="default" onClick={onRetry}>
            Retry
          </Button>
        ) : null
      }
    >
      {text}
      {problem?.requestId && (
        <>
          {" "}
          Request <code className="tm-code">{problem.requestId}</code>.
        </>
      )}
    </Notice>
  );
}
