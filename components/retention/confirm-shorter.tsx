"use client";

import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { Org } from "@/components/account/one-org";
import { counted } from "@/components/format/amounts";
import type { Outputs } from "@/components/trpc";
import { Message } from "@/components/ui/message";
import { errorText } from "@/components/ui/notice";
import { PreviewLine } from "./preview-line";
import { shorterText } from "./removal-text";

type Props = {
  org: Org;
  days: number;
  before: number | null;
  pruningEnabled: boolean;
  preview: Outputs["retention"]["preview"] | undefined;
  previewError: unknown;
  isBusy: boolean;
  error: unknown;
  onConfirm: () => void;
  onClose: () => void;
};

/** Asks the user to type the organization's name before a change that deletes entries. */
export function ConfirmShorter({ org, days, before, pruningEnabled, preview, previewError, ...props }: Props) {
  const { isBusy, error, onConfirm, onClose } = props;
  const [typed, setTyped] = useState("");
  const send = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation(); // React events bubble through portals: the dialog's form is inside the page's form
    if (typed.trim() === org.name) onConfirm();
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={before === null ? "Start deleting old entries" : "Keep entries for a shorter time"}
    >
      <form onSubmit={send}>
        <Stack gap="lg">
          {error ? <Message tone="bad">{errorText(error)}</Message> : null}
          <Text>{shorterText({ name: org.name, before, days, pruningEnabled })}</Text>
          <Text>
            <PreviewLine preview={preview} error={previewError} days={days} pruningEnabled={pruningEnabled} />
          </Text>
          <TextInput
            label={`Type the organization's name, ${org.name}, to confirm`}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
          />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" color="red.9" disabled={typed.trim() !== org.name || !preview} loading={isBusy}>
              {`Keep ${counted(days, "day")}`}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
