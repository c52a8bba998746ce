import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import type { Form, Values } from "@/components/ui/dialogs/use-form";
import { Message } from "@/components/ui/notice";
import classes from "./auth.module.css";

type Props<V extends Values> = {
  form: Form<V>;
  action: string;
  onSubmit: (values: V) => Promise<unknown>;
  /** Keeps the button busy after success while the next page loads. */
  isLeaving?: boolean;
  children: ReactNode;
};

/** A form outside the dashboard; it submits even before the page is hydrated. */
export function AuthForm<V extends Values>({ form, action, onSubmit, isLeaving = false, children }: Props<V>) {
  return (
    <form ref={form.element} onSubmit={form.onSubmit(onSubmit)} className={classes.form} method="post" noValidate>
      {form.message && <Message tone="bad">{form.message}</Message>}
      {children}
      <Button type="submit" loading={form.isBusy || isLeaving} fullWidth>
        {action}
      </Button>
    </form>
  );
}
