"use client";

import { Button, Group, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useState } from "react";
import { useMe } from "@/components/account/org";
import { counted } from "@/components/format/amounts";
import { When } from "@/components/format/when";
import { type Outputs, useTRPC } from "@/components/trpc";
import { Confirm } from "@/components/ui/dialogs/confirm";
import { Failure, Message } from "@/components/ui/notice";
import { Section } from "@/components/ui/page-header";
import { useInvalidation } from "@/components/use-invalidation";
import classes from "./profile.module.css";

const TotpDialog = dynamic(() => import("./factor-dialogs").then((m) => m.TotpDialog), { ssr: false });
const PasskeyDialog = dynamic(() => import("./factor-dialogs").then((m) => m.PasskeyDialog), { ssr: false });
const RecoveryCodesDialog = dynamic(() => import("./factor-dialogs").then((m) => m.RecoveryCodesDialog), {
  ssr: false,
});

type Removal = { what: string; remove: () => Promise<unknown> };

/** The user's second factors: authenticator app, passkeys, recovery codes. */
export function TwoFactorSection() {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const { mustSetUpTwoFactor } = useMe();
  const factors = useQuery(trpc.me.twoFactor.queryOptions());
  const [adding, setAdding] = useState<"totp" | "passkey" | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  const [removal, setRemoval] = useState<Removal | null>(null);
  const [isRenewing, setIsRenewing] = useState(false);
  const refresh = () => cache.invalidateQueries();
  const close = () => setAdding(null);
  const done = async (fresh: string[] | null) => {
    close();
    setCodes(fresh);
    await refresh();
  };
  const renew = useMutation(
    trpc.me.renewRecoveryCodes.mutationOptions({
      onSuccess: async ({ recoveryCodes }) => {
        setIsRenewing(false);
        setCodes(recoveryCodes);
        await refresh();
      },
    }),
  );
  if (factors.isError)
    return <Failure error={factors.error} onRetry={() => void factors.refetch()} what="two-factor" />;
  const { totp = false, passkeys = [], recoveryCodesLeft = 0, passkeysPossible = false } = factors.data ?? {};
  const isOn = totp || passkeys.length > 0;
  return (
    <Section
      title="Two-factor sign-in"
      lead={isOn ? "Signing in also requires one of these." : "Two-factor is off."}
      action={
        <Group gap="sm">
          {!totp && <Button onClick={() => setAdding("totp")}>Set up an app</Button>}
          {passkeysPossible && (
            <Button variant="default" onClick={() => setAdding("passkey")}>
              Add a passkey
            </Button>
          )}
        </Group>
      }
    >
      {mustSetUpTwoFactor && (
        <Message tone="warn">Your account requires two-factor sign-in. Set it up to continue.</Message>
      )}
      {factors.data && isOn && (
        <FactorList factors={factors.data} onRemove={setRemoval} onRenew={() => setIsRenewing(true)} />
      )}
      {factors.data && !passkeysPossible && (
        <Text size="sm" c="dimmed" mt="sm">
          Passkeys need a domain name. You opened Trailmark by IP address.
        </Text>
      )}
      {adding === "totp" && <TotpDialog onDone={done} onClose={close} />}
      {adding === "passkey" && <PasskeyDialog onDone={done} onClose={close} />}
      {codes && <RecoveryCodesDialog codes={codes} onClose={() => setCodes(null)} />}
      {isRenewing && (
        <Confirm
          title="Renew the recovery codes"
          action="Renew codes"
          isBusy={renew.isPending}
          error={renew.error}
          onConfirm={() => renew.mutate()}
          onClose={() => setIsRenewing(false)}
        >
          The {counted(recoveryCodesLeft, "code", "codes")} you have left stop working immediately. The new ones are
          shown only once.
        </Confirm>
      )}
      {removal && <Remove removal={removal} onClose={() => setRemoval(null)} />}
    </Section>
  );
}

type ListProps = {
  factors: Outputs["me"]["twoFactor"];
  onRemove: (removal: Removal) => void;
  onRenew: () => void;
};

function FactorList({ factors: { totp, passkeys, recoveryCodesLeft }, onRemove, onRenew }: ListProps) {
  const trpc = useTRPC();
  const stale = useInvalidation({});
  const removeTotp = useMutation(trpc.me.removeTotp.mutationOptions(stale));
  const removePasskey = useMutation(trpc.me.removePasskey.mutationOptions(stale));
  return (
    <ul className={classes.factors}>
      {totp && (
        <Factor
          name="Authenticator app"
          note="Six digits, new every 30 seconds"
          action="Remove"
          onAction={() => onRemove({ what: "Authenticator app", remove: () => removeTotp.mutateAsync() })}
        />
      )}
      {passkeys.map(({ id, name, lastUsedAt }) => (
        <Factor
          key={id}
          name={name}
          note={
            <>
              Passkey, last used: <When at={lastUsedAt} />
            </>
          }
          action="Remove"
          onAction={() => onRemove({ what: name, remove: () => removePasskey.mutateAsync({ id }) })}
        />
      ))}
      <Factor
        name="Recovery codes"
        note={`${counted(recoveryCodesLeft, "code", "codes")} left`}
        action="Renew"
        onAction={onRenew}
      />
    </ul>
  );
}

type FactorProps = { name: string; note: React.ReactNode; action: string; onAction: () => void };

function Factor({ name, note, action, onAction }: FactorProps) {
  return (
    <li>
      <div>
        {name}
        <small>{note}</small>
      </div>
      <Button variant="subtle" color="gray" size="compact-sm" onClick={onAction} aria-label={`${action}: ${name}`}>
        {action}
      </Button>
    </li>
  );
}

function Remove({ removal: { what, remove }, onClose }: { removal: Removal; onClose: () => void }) {
  const run = useMutation({ mutationFn: remove, onSuccess: onClose });
  return (
    <Confirm
      title={`Remove ${what}`}
      action="Remove"
      isBusy={run.isPending}
      error={run.error}
      onConfirm={() => run.mutate()}
      onClose={onClose}
    >
      It can no longer be used at the next sign-in.
    </Confirm>
  );
}
