"use client";

import { Button, Group, Progress, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useEffect, useRef, useState } from "react";
import { count, counted } from "@/components/format/amounts";
import { type Outputs, UNBATCHED, useTRPC } from "@/components/trpc";
import { Dialog } from "@/components/ui/dialogs/dialog";
import { errorText } from "@/components/ui/notice";
import type { OrganizationOverview } from "@/server/organizations/overview/schema";
import { CHAIN_LABEL, ChainTag } from "./columns";

type Status = Outputs["integrity"]["verify"]["status"];
/** Outcome of verifying an organization's chain; failed: there was no verdict. */
export type Verified = { orgId: string; name: string } & (
  | { status: Status; message?: undefined }
  | { status: "failed"; message: string }
);

const STATUS_ORDER = ["intact", "broken", "unproven", "empty"] as const;

/** Organizations with a verdict; the others are tried again. */
export const withVerdict = (found: readonly Verified[]): Verified[] =>
  found.filter(({ status }) => status !== "failed");

/** "12 intact, 1 broken, 1 could not be verified"; until all are done "12 of 14 organizations verified". */
export function verifiedText(found: readonly Verified[], total: number, isRunning: boolean): string {
  const done = withVerdict(found);
  const failed = found.length - done.length;
  const parts = STATUS_ORDER.map(
    (word) => [found.filter(({ status }) => status === word).length, CHAIN_LABEL[word]] as const,
  );
  const isWhole = found.length === total;
  return [
    ...(isWhole ? parts.filter(([n]) => n > 0).map(([n, word]) => `${count(n)} ${word.toLowerCase()}`) : []),
    ...(isWhole ? [] : [`${count(done.length)} of ${counted(total, "organization")} verified`]),
    ...(failed > 0 ? [`${count(failed)} could not be verified`] : []),
    ...(isWhole || isRunning ? [] : ["stopped"]),
  ].join(", ");
}

/** Limits concurrency to the cores of a small server. */
const MAX_CONCURRENT = 2;

/** Verifies the chains of several organizations. Verdicts survive cancelling; starting again asks for those still missing. */
function useVerifyMany(organizations: readonly OrganizationOverview[]) {
  const verify = useMutation(useTRPC().integrity.verify.mutationOptions({ trpc: UNBATCHED }));
  const [found, setFound] = useState<Verified[]>([]);
  const [isRunning, setIsRunning] = useState(false);
  const stopped = useRef(false);
  useEffect(
    () => () => {
      stopped.current = true;
    },
    [],
  );
  const one = async ({ orgId, name }: OrganizationOverview): Promise<Verified> => {
    try {
      return { orgId, name, status: (await verify.mutateAsync({ orgId })).status };
    } catch (error) {
      return { orgId, name, status: "failed", message: errorText(error) };
    }
  };
  const start = async () => {
    stopped.current = false;
    setIsRunning(true);
    const kept = withVerdict(found);
    setFound(kept);
    const done = new Set(kept.map(({ orgId }) => orgId));
    const left = organizations.filter(({ orgId }) => !done.has(orgId));
    const work = async () => {
      for (let next = left.shift(); next && !stopped.current; next = left.shift()) {
        const verdict = await one(next);
        setFound((old) => [...old, verdict]);
      }
    };
    await Promise.all(Array.from({ length: MAX_CONCURRENT }, work));
    setIsRunning(false);
  };
  const cancel = () => {
    stopped.current = true;
  };
  return { found, isRunning, start: () => void start(), cancel };
}

type Props = { organizations: readonly OrganizationOverview[]; onClose: () => void };

/** Verifies the whole chain of each selected organization, a few at a time, while the dialog is open. */
export function VerifyDialog({ organizations, onClose }: Props) {
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
    <Dialog onClose={leave} title={`Verify ${counted(total, "organization")}`} size="lg">
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
    </Dialog>
  );
}

/** Results, problems first. */
function Found({ found }: { found: readonly Verified[] }) {
  const rank = (one: Verified) =>
    one.status === "broken" ? 0 : one.status === "intact" || one.status === "empty" ? 2 : 1;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="tm-box" style={{ maxHeight: 320, overflowY: "auto" }} tabIndex={0} aria-label="Verdicts">
      <ul className="tm-lines">
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
