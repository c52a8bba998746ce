"use client";

import { useForm as useMantineForm } from "@mantine/form";
import { type FormEvent, useEffect, useRef, useState } from "react";
import type { z } from "zod";
import { errorText, type FieldError, problemOf } from "@/components/ui/notice";
import { capitalized } from "@/server/ground/text";

/** Messages for validation errors of zod, whose own are for developers. */
export const fieldMessage: z.core.$ZodErrorMap = (issue) => {
  const unit = issue.origin === "string" ? " characters" : "";
  switch (issue.code) {
    case "invalid_type":
      return "Required";
    case "too_small":
      if (issue.origin === "array") return "Choose at least one";
      return unit && issue.minimum === 1 ? "Required" : `At least ${issue.minimum}${unit}`;
    case "too_big":
      return `At most ${issue.maximum.toLocaleString("en-GB")}${unit}`;
    case "invalid_format":
      return issue.format === "email" ? "Not a valid e-mail address" : undefined;
    default:
      return undefined;
  }
};

/** Adds the subject that schema and server messages omit ("must have at least 12 characters"). */
export const sentence = (message: string) =>
  /^(is|has|must|names) /.test(message) ? `This field ${message}` : capitalized(message);

/**
 * The members of a form that differ from their initial values; null if none do. Only these are sent, because others may
 * have been changed elsewhere.
 */
export function changesOf<V extends Record<string, unknown>>(initial: V, current: V): Partial<V> | null {
  const changed: Partial<V> = { ...current };
  for (const name of Object.keys(current))
    if (JSON.stringify(current[name]) === JSON.stringify(initial[name])) delete changed[name];
  return Object.keys(changed).length > 0 ? changed : null;
}

export type Values = Record<string, unknown>;
type Mutation<Input> = { mutateAsync: (input: Input) => Promise<unknown> };
/** Input whose values have not been validated yet. */
type Draft<Input> = { [Name in keyof Input]: unknown };
type Refusal = { fields: ReadonlySet<string>; message: string | null };

/** Reads the DOM, because password managers and fast users fill in fields before hydration. */
const readForm = <V extends Values>(form: HTMLFormElement) => Object.fromEntries(new FormData(form)) as Partial<V>;

/**
 * The state of one form. `send` validates with the mutation's schema, then calls the server. Errors of a field are
 * shown below it, others in `message`, and the first invalid field gets the focus. Forms on server-rendered pages are
 * "uncontrolled", so that input from before hydration is kept.
 */
export function useForm<V extends Values>(initialValues: V, mode: "controlled" | "uncontrolled" = "controlled") {
  const form = useMantineForm<V>({ mode, initialValues });
  const element = useRef<HTMLFormElement>(null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const isBusy = form.submitting;
  useEffect(() => {
    if (refusal && !isBusy && element.current) focusFirst(element.current, refusal.fields);
  }, [refusal, isBusy]);

  function refuse(message: string, errors: readonly FieldError[] = []) {
    // A field may be inside a member of the input: "config.url" is the field "url".
    const ofFields = errors.flatMap(({ path, message }) => {
      const field = path.split(".").find((part) => part in initialValues);
      return field === undefined ? [] : [[field, sentence(message)] as const];
    });
    form.setErrors(Object.fromEntries(ofFields.toReversed()));
    setRefusal({ fields: new Set(ofFields.map(([field]) => field)), message: ofFields.length > 0 ? null : message });
  }

  async function send<Schema extends z.ZodType>(
    schema: Schema,
    mutation: Mutation<z.input<Schema>>,
    draft: Draft<z.input<Schema>>,
  ) {
    const { error } = schema.safeParse(draft, { error: fieldMessage });
    if (error) {
      const errors = error.issues.map(({ path, message }) => ({ path: path.join("."), message }));
      return refuse(sentence(errors[0]?.message ?? ""), errors);
    }
    await mutation
      .mutateAsync(draft as z.input<Schema>)
      .catch((cause) => refuse(errorText(cause), problemOf(cause)?.errors));
  }

  const onSubmit = (submit: (values: V) => Promise<unknown>) => (event: FormEvent<HTMLFormElement>) => {
    setRefusal(null);
    if (mode === "uncontrolled") form.setValues(readForm<V>(event.currentTarget));
    form.onSubmit(submit)(event);
  };

  return {
    values: form.getValues(),
    set: form.setFieldValue,
    /** The props of a field; `name` lets the browser recognize it. */
    field: (name: keyof V & string) => ({ name, ...form.getInputProps(name) }),
    checkbox: (name: keyof V & string) => form.getInputProps(name, { type: "checkbox" }),
    message: refusal?.message ?? null,
    isBusy,
    element,
    onSubmit,
    send,
    refuse,
  };
}

export type Form<V extends Values> = ReturnType<typeof useForm<V>>;

/** Focuses the first invalid field in DOM order; without one the button, which lost the focus while disabled. */
function focusFirst(form: HTMLFormElement, wrong: ReadonlySet<string>) {
  const fields = [...form.querySelectorAll<HTMLElement>("[data-path]")];
  const field = fields.find(({ dataset }) => wrong.has(dataset.path ?? ""));
  const control = field?.matches("div") ? field.querySelector<HTMLElement>("input") : field;
  (control ?? form.querySelector<HTMLElement>("[type=submit]"))?.focus();
}
