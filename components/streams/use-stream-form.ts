"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useMe } from "@/components/account/org";
import { toOrgId, useDefaultOrg } from "@/components/account/org-select";
import { useTRPC } from "@/components/trpc";
import { useForm } from "@/components/ui/dialogs/use-form";
import { problemOf } from "@/components/ui/notice";
import { useInvalidation } from "@/components/use-invalidation";
import { createInput, type Stream, updateInput } from "@/server/notify/streams/schema";
import { faultOfText, toFilter, toText } from "./filter-text";
import { CHOICES, type Choice, FIELDS, isSecret, toConfig, toValues, type Values } from "./kinds";

export type StreamForm = ReturnType<typeof useStreamForm>["form"];

/** Days that retention waits for a new archive. */
const ARCHIVE_HOLD_DAYS = 30;

/** How long the secret before a new one is used as well, once entries are sent. */
const OVERLAP_SECONDS = 86_400;

type Saved = { id: string; secret: string | null };
type Props = {
  choice: Choice;
  /** The stream to change; without it a new one is added as a draft. */
  stream?: Stream | undefined;
  /** secret: one that was chosen by the server, shown this once. */
  onSaved: (saved: Saved) => void;
  /** Called where the server refuses a setting of the destination. */
  onRefused?: () => void;
};

/** The form of a stream: the fields of its destination, its format and filter. Saving adds or changes the stream. */
export function useStreamForm({ choice, stream, onSaved, onRefused }: Props) {
  const trpc = useTRPC();
  const stale = useInvalidation(trpc.streams.pathFilter());
  const create = useMutation(trpc.streams.create.mutationOptions(stale));
  const update = useMutation(trpc.streams.update.mutationOptions(stale));
  const rotate = useMutation(trpc.streams.rotate.mutationOptions(stale));
  const { allOrganizations } = useMe();
  const defaultOrg = useDefaultOrg({ withAll: allOrganizations });
  const { kind } = CHOICES[choice];
  const [kept] = useState(() => toText(stream?.filter ?? {}));
  const [initial] = useState<Values>(() => ({
    ...toValues(kind, stream?.config ?? {}),
    name: stream?.name ?? "",
    secret: "",
    format: stream?.format ?? (kind === "elasticsearch" ? "ecs" : "native"),
    filter: kept.text,
    routine: kept.routine,
    orgId: stream?.orgId ?? defaultOrg,
    holdDays: (stream ? stream.holdDays : choice === "archive" && ARCHIVE_HOLD_DAYS) || "",
    locked: stream?.locked ?? false,
  }));
  const form = useForm<Values>(initial);
  const isArchive = choice === "archive";
  const filterOf = ({ filter, routine }: Values) =>
    toFilter({ text: String(filter), routine: routine === true, rest: kept.rest });

  /** The fields that must be filled in and are not. */
  const missing = (): string[] => {
    const required = FIELDS[kind].filter((field) => field.isRequired && (!stream || !isSecret(field)));
    return ["name", ...required.map(({ name }) => name)].filter((name) => !String(form.values[name] ?? "").trim());
  };

  /** The step that shows the refused fields; then they are errors of the form. */
  const refused = (cause: unknown) => {
    const ofDestination = ["config", "secret", "name"];
    if (problemOf(cause)?.errors?.some(({ path }) => ofDestination.includes(path.split(".")[0] ?? ""))) onRefused?.();
    throw cause;
  };

  const save = async (values: Values) => {
    const fault = faultOfText(String(values.filter));
    if (fault) return form.refuse("", [{ path: "filter", message: fault }]);
    const secret = String(values.secret).trim() || undefined;
    const settings = {
      name: values.name,
      config: toConfig(choice, values),
      format: values.format,
      filter: isArchive ? {} : filterOf(values),
      holdDays: values.holdDays === "" ? null : values.holdDays,
    };
    if (!stream)
      return form.send(
        createInput,
        { mutateAsync: (input) => create.mutateAsync(input).then(onSaved).catch(refused) },
        { ...settings, kind, secret, orgId: toOrgId(String(values.orgId)) },
      );
    const overlapSeconds = stream.state === "draft" ? 0 : OVERLAP_SECONDS;
    const change = async (input: Parameters<typeof update.mutateAsync>[0]) => {
      const { id } = await update.mutateAsync(input);
      const rotated = secret ? await rotate.mutateAsync({ id, secret, overlapSeconds }) : null;
      onSaved({ id, secret: rotated?.secret ?? null });
    };
    const lock = values.locked === stream.locked ? {} : { locked: values.locked };
    return form.send(
      updateInput,
      { mutateAsync: (input) => change(input).catch(refused) },
      { id: stream.id, ...settings, ...lock },
    );
  };
  return { form, missing, save, filter: filterOf(form.values), rest: Object.keys(kept.rest) };
}
