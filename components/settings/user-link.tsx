"use client";

import { Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { When } from "@/components/format/when";
import { type Outputs, useTRPC } from "@/components/trpc";
import { Confirm } from "@/components/ui/dialogs/confirm";
import { CopyLine, SecretDialog } from "@/components/ui/dialogs/secret-dialog";
import { useReturnedFocus } from "@/components/ui/dialogs/use-returned-focus";
import { errorText, Message } from "@/components/ui/notice";
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

type SendLinkProps = { user: { id: string; name: string; email: string; invited: boolean }; onClose: () => void };

/** Confirms before creating a password link for a user: earlier links stop working. */
export function SendLink({ user, onClose }: SendLinkProps) {
  useReturnedFocus();
  const [isConfirmed, setIsConfirmed] = useState(false);
  if (isConfirmed) return <UserLink user={user} onClose={onClose} />;
  return (
    <Confirm
      title={user.invited ? `Invite ${user.name} again` : `Reset the password of ${user.name}`}
      action="Create link"
      isReversible
      isBusy={false}
      error={null}
      onConfirm={() => setIsConfirmed(true)}
      onClose={onClose}
    >
      {user.name} gets a new link to choose a password: by e-mail, or shown to you if no mail server is set up. An
      earlier link stops working{user.invited ? "." : "; the current password works until the new link is used."}
      {!user.invited && (
        <details>
          <summary>Details</summary>
          Their account at an identity provider is unlinked. Their next sign-in there with this e-mail address links it
          again.
        </details>
      )}
    </Confirm>
  );
}
