"use client";

import { Button, Group, NumberInput, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Download, Link2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { counted } from "@/components/format/amounts";
import { When } from "@/components/format/when";
import { toFragment } from "@/components/proof/proof-link";
import { saveFile } from "@/components/save-file";
import { type Outputs, useTRPC } from "@/components/trpc";
import { qrSvg } from "@/components/ui/code/qr-svg";
import { copyText } from "@/components/ui/copy/use-copy";
import { Dialog } from "@/components/ui/dialogs/dialog";
import { CopyLine } from "@/components/ui/dialogs/secret-dialog";
import { useForm } from "@/components/ui/dialogs/use-form";
import { errorText, Message, readErrorText } from "@/components/ui/notice";
import { useInvalidation } from "@/components/use-invalidation";
import { DEFAULT_LINK_DAYS, MAX_LINK_DAYS, shareInput } from "@/server/evidence/links/schema";

type ProofLink = Outputs["proofs"]["links"]["data"][number];

/** Short links to an entry's proof, for print: the existing ones, and a new one with its QR code. */
export function ProofLinks({ id }: { id: string }) {
  const trpc = useTRPC();
  const share = useMutation(trpc.proofs.share.mutationOptions(useInvalidation(trpc.proofs.links.queryFilter({ id }))));
  const form = useForm<{ days: number | string }>({ days: DEFAULT_LINK_DAYS });
  return (
    <Stack gap="sm" component="section" aria-labelledby="proof-links">
      <Title order={3} size="h4" id="proof-links">
        Short link for print
      </Title>
      <Text size="sm" c="dimmed">
        Opens the proof on this server, with a QR code. Anyone who has it can open it until it expires or you revoke it;
        each opening is recorded.
      </Text>
      <form
        ref={form.element}
        noValidate
        onSubmit={form.onSubmit(({ days }) => form.send(shareInput, share, { id, days }))}
      >
        {form.message && <Message tone="bad">{form.message}</Message>}
        <Group gap="sm" align="flex-end">
          <NumberInput label="Expires after (days)" min={1} max={MAX_LINK_DAYS} w={140} {...form.field("days")} />
          <Button type="submit" variant="default" loading={form.isBusy}>
            Create link
          </Button>
        </Group>
      </form>
      {share.data && <NewLink path={share.data.path} expiresAt={share.data.expiresAt} seq={share.data.chainSeq} />}
      <Links id={id} />
    </Stack>
  );
}

function NewLink({ path, expiresAt, seq }: { path: string; expiresAt: string; seq: number }) {
  const link = `${window.location.origin}${path}`;
  const svg = qrSvg(link);
  return (
    <Group className="tm-box" gap={20} p={16}>
      {/* biome-ignore lint/performance/noImgElement: a data URL, which next/image cannot optimize. */}
      <img
        width={168}
        src={`data:image/svg+xml,${encodeURIComponent(svg)}`}
        alt={`QR code of the link to the proof of entry ${seq}`}
      />
      <Stack gap="md" flex="1 1 260px" miw={0}>
        <CopyLine label="Short link" value={link} note="Shown only once." />
        <Text size="sm">
          Expires <When at={expiresAt} />
        </Text>
        <div>
          <Button
            size="xs"
            variant="default"
            leftSection={<Download size={14} aria-hidden />}
            onClick={() => saveFile(`proof-entry-${seq}.svg`, svg)}
          >
            Download QR code
          </Button>
        </div>
      </Stack>
    </Group>
  );
}

function Links({ id }: { id: string }) {
  const { data, error } = useQuery(useTRPC().proofs.links.queryOptions({ id }));
  if (error) return <Message tone="bad">{readErrorText(error)}</Message>;
  if (!data) return null;
  if (data.data.length === 0) return <Note>No short link to this entry has been created.</Note>;
  return (
    <ul className="tm-lines" aria-label="Short links to this entry">
      {data.data.map((link) => (
        <LinkRow key={link.id} link={link} entryId={id} />
      ))}
    </ul>
  );
}

function stateOf({ revokedAt, expiresAt }: ProofLink): "Open" | "Revoked" | "Expired" {
  if (revokedAt) return "Revoked";
  return Date.parse(expiresAt) > Date.now() ? "Open" : "Expired";
}

function LinkRow({ link, entryId }: { link: ProofLink; entryId: string }) {
  const trpc = useTRPC();
  const stale = useInvalidation(trpc.proofs.links.queryFilter({ id: entryId }));
  const revoke = useMutation(trpc.proofs.revoke.mutationOptions(stale));
  const state = stateOf(link);
  return (
    <li>
      <Stack gap={0} miw={0}>
        <span>
          <strong>{state}</strong>, created by {link.createdByName} <When at={link.createdAt} />
        </span>
        <Text span size="sm" c="dimmed">
          {state === "Open" ? "Expires" : state} <When at={link.revokedAt ?? link.expiresAt} />;{" "}
          {counted(link.openings, "opening")}
          {link.lastOpenedAt && (
            <>
              , the last <When at={link.lastOpenedAt} />
            </>
          )}
        </Text>
        {revoke.isError && <Message tone="bad">{errorText(revoke.error)}</Message>}
      </Stack>
      {state === "Open" && (
        <Button
          size="xs"
          variant="default"
          loading={revoke.isPending}
          onClick={() => revoke.mutate({ id: link.id })}
          aria-label={`Revoke the link created ${link.createdAt}`}
        >
          Revoke
        </Button>
      )}
    </li>
  );
}

/** Shares the proof of an entry: as a link that contains the proof, as a file, or as a short link for print. */
export function ShareProof({ id, onClose }: { id: string; onClose: () => void }) {
  return (
    <Dialog onClose={onClose} title="Share proof of this entry" size="lg">
      <Text>
        A proof shows this entry and no other. Anyone who receives it can check it in a browser or on the command line,
        without an account. Sharing it is recorded in the audit log.
      </Text>
      <WholeProof id={id} />
      <ProofLinks id={id} />
    </Dialog>
  );
}

const Note = (props: { role?: "status"; children: ReactNode }) => <Text size="sm" c="dimmed" mt="sm" {...props} />;

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
        saveFile(fileName, text);
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
      <Note>
        The link contains the whole proof after a #, a part that browsers do not send to servers. It is long, so it
        suits e-mail and chat.
      </Note>
      {create.isError && <Message tone="bad">{errorText(create.error)}</Message>}
      <Note role="status">
        {copied?.isCopied && `Copied, ${copied.link.length} characters.`}
        {saved && ` Saved as ${saved}.`}
      </Note>
      {copied && !copied.isCopied && <CopyLine label="Proof link" value={copied.link} />}
    </section>
  );
}
