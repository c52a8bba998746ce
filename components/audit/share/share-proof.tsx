"use client";

import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Download, Link2 } from "lucide-react";
import { useState } from "react";
import { toFragment } from "@/components/proof/proof-link";
import { saveText } from "@/components/proof/save-text";
import { useTRPC } from "@/components/trpc";
import { copyText } from "@/components/ui/copy/copy-text";
import { CopyLine } from "@/components/ui/dialogs/copy-line";
import { useReturnedFocus } from "@/components/ui/dialogs/use-returned-focus";
import { Message } from "@/components/ui/message";
import { errorText } from "@/components/ui/notice";
import { ProofLinks } from "./proof-links";
import classes from "./share-proof.module.css";

/** Shares the proof of an entry: as a link that contains the proof, as a file, or as a short link for print. */
export function ShareProof({ id, onClose }: { id: string; onClose: () => void }) {
  useReturnedFocus();
  return (
    <Modal opened onClose={onClose} title="Share proof of this entry" size="lg">
      <Stack gap="xl">
        <Text>
          A proof shows this entry and no other. Anyone who receives it can check it in a browser or on the command
          line, without an account. Sharing it is recorded in the audit log.
        </Text>
        <WholeProof id={id} />
        <ProofLinks id={id} />
      </Stack>
    </Modal>
  );
}

type Copied = { link: string; isCopied: boolean };

function WholeProof({ id }: { id: string }) {
  const create = useMutation(useTRPC().proofs.create.mutationOptions());
  const [copied, setCopied] = useState<Copied | null>(null);
  const [saved, setSaved] = useState<string | null>(null);
  const proof = async () => create.data ?? (await create.mutateAsync({ id }));
  const copy = () =>
    void proof()
      .then(({ text }) => toFragment(text))
      .then(async (fragment) => {
        const link = `${window.location.origin}/verify${fragment}`;
        setCopied({ link, isCopied: await copyText(link) });
      })
      .catch(() => {});
  const save = () =>
    void proof().then(
      ({ fileName, text }) => {
        saveText(fileName, text);
        setSaved(fileName);
      },
      () => {},
    );
  return (
    <section aria-label="Proof link and file">
      <Group gap="sm">
        <Button leftSection={<Link2 size={15} aria-hidden />} onClick={copy} loading={create.isPending} data-autofocus>
          Copy proof link
        </Button>
        <Button
          variant="default"
          leftSection={<Download size={15} aria-hidden />}
          onClick={save}
          disabled={create.isPending}
        >
          Download .tlog-proof
        </Button>
      </Group>
      <p className={classes.note}>
        The link contains the whole proof after a #, a part that browsers do not send to servers. It is long, so it
        suits e-mail and chat.
      </p>
      {create.isError && <Message tone="bad">{errorText(create.error)}</Message>}
      <p className={classes.note} role="status">
        {copied?.isCopied && `Copied, ${copied.link.length} characters.`}
        {saved && ` Saved as ${saved}.`}
      </p>
      {copied && !copied.isCopied && <CopyLine label="Proof link" value={copied.link} />}
    </section>
  );
}
