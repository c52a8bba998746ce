"use client";

import { Button, Group, Modal, Progress, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { count, counted } from "@/components/format/amounts";
import { useTRPC } from "@/components/trpc";
import { useReturnedFocus } from "@/components/ui/dialogs/use-returned-focus";
import type { OrganizationOverview } from "@/server/organizations/overview/schema";
import { CHAIN_LABEL, ChainTag } from "./chain-tag";
import classes from "./dialogs.module.css";
import { useVerifyMany, type Verified } from "./verify-many";

type Props = { organizations: readonly OrganizationOverview[]; onClose: () => void };
const STATUS_ORDER = ["intact", "broken", "unproven", "empty"] as const;

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
  const isDone = found.length === total;
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
              {isDone
                ? summary(found)
                : `${count(found.length)} of ${counted(total, "organization")} verified${isRunning ? "" : ", stopped"}`}
            </Text>
            <Progress value={(found.length / total) * 100} size="sm" aria-label="Organizations verified" />
          </>
        )}
        {found.length > 0 && <Found found={found} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={isRunning ? cancel : leave}>
            {isRunning ? "Stop" : "Close"}
          </Button>
          {!isDone && (
            <Button onClick={start} loading={isRunning}>
              {found.length > 0 ? "Continue" : "Verify"}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}

/** "12 intact, 1 broken, 1 could not be verified" */
function summary(found: readonly Verified[]): string {
  const parts = STATUS_ORDER.map(
    (word) => [found.filter(({ status }) => status === word).length, CHAIN_LABEL[word]] as const,
  );
  const failed = found.filter(({ status }) => status === "failed").length;
  return [
    ...parts.filter(([n]) => n > 0).map(([n, word]) => `${count(n)} ${word.toLowerCase()}`),
    ...(failed > 0 ? [`${count(failed)} could not be verified`] : []),
  ].join(", ");
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
