"use client";

import { Button, Group, Modal, Progress, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { counted } from "@/components/format/amounts";
import { useTRPC } from "@/components/trpc";
import { useReturnedFocus } from "@/components/ui/dialogs/use-returned-focus";
import type { OrganizationOverview } from "@/server/organizations/overview/schema";
import { ChainTag } from "./columns";
import classes from "./dialogs.module.css";
import { useVerifyMany, type Verified, verifiedText, withVerdict } from "./verify-many";

type Props = { organizations: readonly OrganizationOverview[]; onClose: () => void };

/** Verifies the whole chain of each selected organization, a few at a time, while the dialog is open. */
export function VerifyDialog({ organizations, onClose }: Props) {
  useReturnedFocus();
  const trpc = useTRPC();
  const cache = useQueryClient();
  const { found, isRunning, start, cancel } = useVerifyMany(organizations);
  const leave = () => {
    cancel();
    void cache.invalidateQueries(trpc.organizations.pathFilter());
    void cache.invalidateQueries(trpc.integrity.pathFilter());
    onClose();
  };
  const total = organizations.length;
  const verified = withVerdict(found).length;
  const entries = organizations.reduce((sum, org) => sum + org.entries, 0);
  return (
    <Modal opened onClose={leave} title={`Verify ${counted(total, "organization")}`} size="lg">
      <Stack gap="lg">
        {found.length === 0 && !isRunning && (
          <Text>
            Every entry of every selected organization is read: {counted(entries, "entry", "entries")}. Keep this dialog
            open until it is done.
          </Text>
        )}
        {(isRunning || found.length > 0) && (
          <>
            <Text role="status" className="tm-figures">
              {verifiedText(found, total, isRunning)}
            </Text>
            <Progress value={(verified / total) * 100} size="sm" aria-label="Organizations verified" />
          </>
        )}
        {found.length > 0 && <Found found={found} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={isRunning ? cancel : leave}>
            {isRunning ? "Stop" : "Close"}
          </Button>
          {verified < total && (
            <Button onClick={start} loading={isRunning}>
              {found.length > 0 ? "Continue" : "Verify"}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}

/** Results, problems first. */
function Found({ found }: { found: readonly Verified[] }) {
  const rank = (one: Verified) =>
    one.status === "broken" ? 0 : one.status === "intact" || one.status === "empty" ? 2 : 1;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className={classes.found} tabIndex={0} aria-label="Verdicts">
      <ul>
        {[...found]
          .sort((a, b) => rank(a) - rank(b))
          .map(({ orgId, name, status, message }) => (
            <li key={orgId}>
              <Link href={`/integrity?orgId=${orgId}`} prefetch={false} className="tm-link">
                {name}
              </Link>
              {status === "failed" ? <span>Not verified: {message}</span> : <ChainTag status={status} />}
            </li>
          ))}
      </ul>
    </section>
  );
}
