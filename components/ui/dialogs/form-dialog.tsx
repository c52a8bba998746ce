"use client";

import { Button, Group, Modal, Stack } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";
import { Message } from "@/components/ui/message";
import classes from "./form-dialog.module.css";

type Props = {
  opened: boolean;
  title: string;
  submit: string;
  isBusy: boolean;
  error: string | null;
  onSubmit: (form: FormData) => void;
  onClose: () => void;
  children: ReactNode;
};

/** A dialog around one form: fields, one primary button, the message of what went wrong. */
export function FormDialog({ opened, title, submit, isBusy, error, onSubmit, onClose, children }: Props) {
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSubmit(new FormData(event.currentTarget));
  };
  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      <form onSubmit={send}>
        <Stack gap="lg">
          {error && <Message tone="bad">{error}</Message>}
          {children}
          <Group justify="flex-end" gap="sm" className={classes.foot}>
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isBusy}>
              {submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
