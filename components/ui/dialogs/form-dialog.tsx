"use client";

import { Button, Group, type ModalProps, Stack } from "@mantine/core";
import type { QueryFilters } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Message } from "@/components/ui/notice";
import { useInvalidation } from "@/components/use-invalidation";
import { Dialog } from "./dialog";
import classes from "./form-dialog.module.css";
import type { Form } from "./use-form";

/** After a mutation: closes its dialog, then invalidates the given queries. */
export function useDone(onClose: () => void, ...stale: QueryFilters[]) {
  const { onSuccess } = useInvalidation(...stale);
  return {
    onSuccess: () => {
      onClose();
      return onSuccess();
    },
  };
}

type Props<V extends Record<string, unknown>> = {
  form: Form<V>;
  title: string;
  action: string;
  onSubmit: (values: V) => Promise<unknown>;
  onClose: () => void;
  /** Its width, where a column of fields is not enough. */
  size?: ModalProps["size"];
  children: ReactNode;
};

/** A dialog with one form: fields, one primary button, and the error message. */
export function FormDialog<V extends Record<string, unknown>>({ title, size, ...props }: Props<V>) {
  return (
    <Dialog onClose={props.onClose} title={title} {...(size && { size })}>
      <DialogForm {...props} />
    </Dialog>
  );
}

/** The form of a dialog, without the dialog. */
export function DialogForm<V extends Record<string, unknown>>(props: Omit<Props<V>, "title" | "size">) {
  const { form, action, onSubmit, onClose, children } = props;
  return (
    <form ref={form.element} onSubmit={form.onSubmit(onSubmit)} noValidate>
      <Stack gap="lg">
        {form.message && <Message tone="bad">{form.message}</Message>}
        {children}
        <Group justify="flex-end" gap="sm" className={classes.foot}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={form.isBusy}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
