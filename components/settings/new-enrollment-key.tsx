"use client";

import { Group, Loader, NumberInput, Select, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Check } from "lucide-react";
import Link from "next/link";
import { useOrg } from "@/components/account/org";
import { OrgSelect, useDefaultOrg } from "@/components/account/org-select";
import { bytes } from "@/components/format/amounts";
import { UNBATCHED, useTRPC } from "@/components/trpc";
import { CopiedCode } from "@/components/ui/code/copied-code";
import { FormDialog } from "@/components/ui/dialogs/form-dialog";
import { CopyLine, SecretDialog } from "@/components/ui/dialogs/secret-dialog";
import { useForm } from "@/components/ui/dialogs/use-form";
import { Failure, Message } from "@/components/ui/notice";
import { useInvalidation } from "@/components/use-invalidation";
import type { Build } from "@/server/devices/agents/install/schema";
import { createInput } from "@/server/identity/enrollment-keys/schema";
import classes from "./enroll-device.module.css";
import { expiryOf, LIFETIMES } from "./key";

const LOOPBACK = /^http:\/\/(127\.[0-9.]+|localhost|\[::1\])(:\d+)?$/;

/** Whether agents accept the server's URL: https, or plain http on the same machine. */
const isSafeAddress = (url: string): boolean => url.startsWith("https:") || LOOPBACK.test(url);

/**
 * The commands that install and enroll an agent. The key is never a process argument, which every user of a machine can
 * see: printf and the assignment are shell built-ins, and the installer reads it from standard input or its
 * environment.
 * The leading space keeps the first line out of most shells' history.
 */
export function installCommands(url: string, key: string): { linux: string; windows: string } {
  const isPlain = url.startsWith("http:");
  // Without -L, a redirect counts as success with an empty script.
  const curl = `curl ${isPlain ? "" : "--proto =https "}-fsSL --max-redirs 0 ${url}/agent/install.sh`;
  const script = `irm ${url}/agent/install.ps1`;
  return {
    linux: ` printf %s ${key} | sudo sh -c 's=$(${curl}) && eval "$s"'${isPlain ? " install.sh --allow-loopback-http" : ""}`,
    windows: `$env:TRAILMARK_ENROLLMENT_KEY='${key}'; ${
      isPlain ? `& ([scriptblock]::Create((${script}))) -AllowLoopbackHttp` : `${script} | iex`
    }`,
  };
}

/** How to enroll a device with a key: one command per operating system, explained. */
export function EnrollDevice({ enrollmentKey }: { enrollmentKey: string }) {
  const installers = useQuery(useTRPC().enrollmentKeys.installers.queryOptions());
  if (installers.isError)
    return <Failure error={installers.error} onRetry={() => void installers.refetch()} what="the installers" />;
  if (!installers.data) return null;
  const { url, build, problem } = installers.data;
  if (!build)
    return (
      <>
        <Message tone="warn">{problem}</Message>
        <CopyLine
          label="From a checkout on the device"
          value={`npm run agent -- --url ${url} --enrollment-key-file -`}
          note="Paste the key, then press Enter and Ctrl-D. Sends the device's logs and answers live queries while it runs."
        />
      </>
    );
  if (!isSafeAddress(url))
    return (
      <Message tone="warn">
        {`${url} is not https: the key and the logs would be sent unencrypted, so the installers refuse it. Set NEXTAUTH_URL to the server's https address.`}
      </Message>
    );
  const commands = installCommands(url, enrollmentKey);
  return (
    <>
      <CopyLine
        label="On Linux"
        value={commands.linux}
        note="Installs the agent as a systemd service with its own user. Needs no Node.js there, and Node.js 20.19 on a Mac and on other systems."
      />
      <CopyLine
        label="On Windows, in PowerShell as administrator"
        value={commands.windows}
        note="Installs the agent as a scheduled task that starts with Windows."
      />
      <Programs build={build} />
    </>
  );
}

function Programs({ build }: { build: Build }) {
  return (
    <section aria-label="Programs">
      <Text size="sm" c="dimmed">
        {`Both download agent ${build.version} and check it against these SHA-256 digests before they run it. Run the same line again to update it.`}
      </Text>
      <ul className={classes.programs}>
        {build.files.map((file) => (
          <li key={file.platform}>
            <span>{`${file.platform}, ${bytes(file.bytes)}`}</span>
            <CopiedCode value={file.programSha256} what={`digest of ${file.platform}`} />
          </li>
        ))}
        {build.licenses && (
          <li>
            <a className="tm-link" href={`/agent/${build.licenses.file}`}>
              Licenses of the software in them
            </a>
            <CopiedCode value={build.licenses.programSha256} what="digest of the licenses" />
          </li>
        )}
      </ul>
    </section>
  );
}

const POLL_MS = 3_000;

/** Waits for the first device that joins after a time, and shows its arrival. since: ISO 8601. */
function FirstDevice({ orgId, since }: { orgId: string; since: string }) {
  const joined = useQuery(
    useTRPC().audit.list.queryOptions(
      { orgId: [orgId], actions: ["agent.enroll"], result: ["success"], from: since, limit: 1, skipCount: true },
      { trpc: UNBATCHED, refetchInterval: ({ state }) => (state.data?.data.length ? false : POLL_MS) },
    ),
  );
  const device = joined.data?.data[0]?.resource;
  return (
    <Group gap="sm" role="status">
      {device ? (
        <>
          <Check size={16} aria-hidden />
          <span>
            <Link href={`/devices/${device.id}`} className="tm-link">
              {device.name}
            </Link>{" "}
            has joined.
          </span>
        </>
      ) : (
        <>
          <Loader size={14} aria-hidden />
          <span>Waiting for the first device …</span>
        </>
      )}
    </Group>
  );
}

/** Creates an enrollment key; shows it once, with the command that uses it. */
export function NewEnrollmentKey({ onClose }: { onClose: () => void }) {
  const trpc = useTRPC();
  const { nameOf } = useOrg();
  const form = useForm({ orgId: useDefaultOrg(), maxUses: "", expiresAt: "7" });
  const create = useMutation(
    trpc.enrollmentKeys.create.mutationOptions(useInvalidation(trpc.enrollmentKeys.pathFilter())),
  );
  if (create.data) {
    const { key, orgId, createdAt } = create.data;
    return (
      <SecretDialog title={`Enroll devices of ${nameOf(orgId)}`} onClose={onClose}>
        <CopyLine label="Enrollment key" value={key} note="Shown only once." />
        <EnrollDevice enrollmentKey={key} />
        <FirstDevice orgId={orgId} since={createdAt} />
      </SecretDialog>
    );
  }
  return (
    <FormDialog
      form={form}
      title="New enrollment key"
      action="Create key"
      onSubmit={({ orgId, maxUses, expiresAt }) =>
        form.send(createInput, create, {
          orgId,
          maxUses: maxUses === "" ? null : maxUses,
          expiresAt: expiryOf(expiresAt),
        })
      }
      onClose={onClose}
    >
      <OrgSelect {...form.field("orgId")} data-autofocus />
      <NumberInput
        label="Maximum number of devices"
        description="Leave empty for any number"
        allowDecimal={false}
        allowNegative={false}
        {...form.field("maxUses")}
      />
      <Select label="Expires after" data={LIFETIMES} {...form.field("expiresAt")} />
    </FormDialog>
  );
}
