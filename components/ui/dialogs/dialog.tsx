"use client";

import { Modal, type ModalProps, Stack } from "@mantine/core";
import { useReturnedFocus } from "./use-returned-focus";

/** A dialog, open until it is removed; then the focus returns to where it was. */
export function Dialog({ children, ...modal }: Omit<ModalProps, "opened">) {
  useReturnedFocus();
  return (
    <Modal opened {...modal}>
      <Stack gap="lg">{children}</Stack>
    </Modal>
  );
}
