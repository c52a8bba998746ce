"use client";

import { Button, Checkbox, Select, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { ACTOR_TYPE_LABEL, CATEGORY_LABEL, FORM_NAMES, RESULT_LABEL, ROUTINE_ACTIONS, type View } from "./filters";
import classes from "./menus.module.css";
import type { SetView } from "./toolbar";

const choices = (labels: Record<string, string>) => Object.entries(labels).map(([value, label]) => ({ value, label }));

/** The filters as fields; loaded when they are asked for, because lists of choices weigh more than the rest of the page. */
export function FilterForm({ view, setView, onDone }: { view: View; setView: SetView; onDone: () => void }) {
  const [draft, setDraft] = useState(
    () => Object.fromEntries(FORM_NAMES.map((name) => [name, view[name]])) as Pick<View, (typeof FORM_NAMES)[number]>,
  );
  const put = (change: Partial<typeof draft>) => setDraft((old) => ({ ...old, ...change }));
  const text = (name: "actor" | "action" | "resource") => ({
    value: draft[name] ?? "",
    onChange: (event: { currentTarget: { value: string } }) => put({ [name]: event.currentTarget.value || null }),
    maxLength: 255,
  });
  const choice = (name: "result" | "category" | "type", labels: Record<string, string>) => ({
    data: choices(labels),
    value: draft[name] as string | null,
    onChange: (value: string | null) => put({ [name]: value }),
    clearable: true,
    placeholder: "Any",
    comboboxProps: { withinPortal: false },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setView({ ...draft, cursor: null, row: null });
    onDone();
  };
  return (
    <form className={classes.form} onSubmit={submit}>
      <TextInput label="Actor" description="Part of a name or an e-mail address" data-autofocus {...text("actor")} />
      <TextInput label="Action" description="Part of a code, such as device.create" {...text("action")} />
      <TextInput label="Resource" description="Part of a name or a kind, such as policy" {...text("resource")} />
      <div className={classes.pair}>
        <Select label="Result" {...choice("result", RESULT_LABEL)} />
        <Select label="Actor type" {...choice("type", ACTOR_TYPE_LABEL)} />
      </div>
      <Select label="Category" {...choice("category", CATEGORY_LABEL)} />
      <Checkbox
        label="Hide routine agent telemetry"
        checked={draft.without === ROUTINE_ACTIONS}
        onChange={(event) => put({ without: event.currentTarget.checked ? ROUTINE_ACTIONS : null })}
      />
      <div className={classes.foot}>
        <Button
          variant="subtle"
          color="gray"
          onClick={() => setDraft(Object.fromEntries(FORM_NAMES.map((name) => [name, null])) as typeof draft)}
        >
          Clear
        </Button>
        <Button type="submit">Apply</Button>
      </div>
    </form>
  );
}
