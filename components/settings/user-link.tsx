"use client";

import { Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { When } from "@/components/format/when";
import { type Outputs, useTRPC } from "@/components/trpc";
import { CopyLine } from "@/components/ui/dialogs/copy-line";
import { SecretDialog } from "@/components/ui/dialogs/secret-dialog";
import { Message } from "@/components/ui/message";
import { errorText } from "@/components/ui/notice";
import { useOnce } from "@/components/ui/use-once";

type Props = { user: { id: string; name: string; email: string }; onClose: () => void };
type Invitation = Outputs["users"]["invite"];

/** Creates a link with which a user chooses a password: mailed, or shown once. */
export function UserLink({ user, onClose }: Props) {
  const invite = useMutation(useTRPC().users.invite.mutationOptions());
  useOnce(() => invite.mutate({ id: user.id }));
  return (
    <SecretDialog title={`Link for ${user.name}`} onClose={onClose}>
      {invite.isError && <Message tone="bad">{errorText(invite.error)}</Message>}
      {invite.isPending && <Text role="status">Preparing the link</Text>}
      {invite.data && <Link invitation={invite.data} />}
    </SecretDialog>
  );
}

function Link({ invitation: { kind, sentTo, link, expiresAt } }: { invitation: Invitation }) {
  const until = (
    <>
      {" "}
      Valid for one use, until <When at={expiresAt} />.
    </>
  );
  if (!link)
    return (
      <Text role="status">
        Sent to {sentTo}.{until}
      </Text>
    );
  return (
    <>
      <CopyLine
        label={kind === "invite" ? "Invitation link" : "Password reset link"}
        value={link}
        note="Shown only once. Send it to them yourself: anyone who has it can choose the password."
      />
      <Text size="sm" c="dimmed">
        {until}
      </Text>
    </>
  );
}
