"use client";

import { Button, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { errorText, Message } from "@/components/ui/notice";
import { Dialog } from "./dialog";

type Props = {
  title: string;
  children: ReactNode;
  action: string;
  isReversible?: boolean;
  isBusy: boolean;
  error: unknown;
  onConfirm: () => void;
  onClose: () => void;
};

/** Asks for confirmation before a destructive action. */
export function Confirm({ title, children, action, isReversible, isBusy, error, onConfirm, onClose }: Props) {
  return (
    <Dialog onClose={onClose} title={title} size="sm">
      <Text>{children}</Text>
      {error ? <Message tone="bad">{errorText(error)}</Message> : null}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onClose} data-autofocus>
          Cancel
        </Button>
        <Button {...(!isReversible && { color: "red.9" })} onClick={onConfirm} loading={isBusy}>
          {action}
        </Button>
      </Group>
    </Dialog>
  );
}
