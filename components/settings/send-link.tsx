"use client";

import { useState } from "react";
import { Confirm } from "@/components/ui/dialogs/confirm";
import { useReturnedFocus } from "@/components/ui/dialogs/use-returned-focus";
import { UserLink } from "./user-link";

type Props = { user: { id: string; name: string; email: string; invited: boolean }; onClose: () => void };

/** Confirms before creating a password link for a user: earlier links stop working. */
export function SendLink({ user, onClose }: Props) {
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
      {!user.invited &&
        " If they sign in through an identity provider, their account there is unlinked; their next sign-in there with this e-mail address links it again."}
    </Confirm>
  );
}
