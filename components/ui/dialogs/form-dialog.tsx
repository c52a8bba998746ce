"use client";

import { Button, Group, Modal, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { Message } from "@/components/ui/message";
import classes from "./form-dialog.module.css";
import type { Form } from "./use-form";
import { useReturnedFocus } from "./use-returned-focus";

type Props<V extends Record<string, unknown>> = {
  form: Form<V>;
  title: string;
  action: string;
  onSubmit: (values: V) => Promise<unknown>;
  onClose: () => void;
  children: ReactNode;
};

/** A dialog with one form: fields, one primary button, and the error message. */
export function FormDialog<V extends Record<string, unknown>>(props: Props<V>) {
  const { form, title, action, onSubmit, onClose, children } = props;
  useReturnedFocus();
  return (
    <Modal opened onClose={onClose} title={title}>
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
    </Modal>
  );
}
