"use client";

import { useForm as useMantineForm } from "@mantine/form";
import { type FormEvent, useEffect, useRef, useState } from "react";
import type { z } from "zod";
import { errorText, type FieldError, problemOf } from "@/components/ui/notice";
import { fieldMessage, sentence } from "./field-message";

export type Values = Record<string, unknown>;
type Mutation<Input> = { mutateAsync: (input: Input) => Promise<unknown> };
/** An input whose values are still to be checked, as a select gives any text. */
type Draft<Input> = { [Name in keyof Input]: unknown };
type Refusal = { fields: ReadonlySet<string>; message: string | null };

/** Password managers and quick users fill in fields before any script is listening. */
const filledIn = <V extends Values>(form: HTMLFormElement) => Object.fromEntries(new FormData(form)) as Partial<V>;

/**
 * The state of one form. `send` checks the input with the mutation's own schema, then with the server; what either
 * refuses is under its field, the rest in `message`, and the first wrong field gets the focus.
 * Forms of a page are "uncontrolled": what was typed before the scripts arrived counts.
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
    const ofFields = errors
      .map(({ path, message }) => [path.split(".")[0] ?? "", sentence(message)] as const)
      .filter(([field]) => field in initialValues);
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
    if (mode === "uncontrolled") form.setValues(filledIn<V>(event.currentTarget));
    form.onSubmit(submit)(event);
  };

  return {
    values: form.getValues(),
    set: form.setFieldValue,
    /** What a field needs of the form; `name` lets a browser recognise it. */
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

/** The first wrong field in the order of the page; without one the button, which was disabled meanwhile. */
function focusFirst(form: HTMLFormElement, wrong: ReadonlySet<string>) {
  const fields = [...form.querySelectorAll<HTMLElement>("[data-path]")];
  const field = fields.find(({ dataset }) => wrong.has(dataset.path ?? ""));
  const control = field?.matches("div") ? field.querySelector<HTMLElement>("input") : field;
  (control ?? form.querySelector<HTMLElement>("[type=submit]"))?.focus();
}
