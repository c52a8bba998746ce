"use client";

import { Button, FileInput, NativeSelect, PasswordInput, Textarea, TextInput } from "@mantine/core";
import { Send } from "lucide-react";
import { type FormEvent, useEffect, useRef, useState } from "react";
import type { Operation, Parameter } from "@/components/docs/openapi";
import { CodeBlock } from "@/components/ui/code/code-block";
import { Section } from "@/components/ui/section";
import { curlOf, type FormValues, faultsOf, initialValues, nameOf, toRequest } from "./request";
import { ResponsePanel } from "./response-panel";
import { sendRequest, type TryResponse } from "./send";
import classes from "./try.module.css";

const BASE = "/api/v1";

type Props = { operation: Operation; credential: string; onCredential: (text: string) => void };
type FieldProps = {
  parameter: Parameter;
  value: string;
  error?: string | undefined;
  onChange: (value: string) => void;
};

/** A parameter's input: a select for enums, otherwise text. */
function ParameterField({ parameter, value, error, onChange }: FieldProps) {
  const { name, schema, description, required = false, example } = parameter;
  const choices = schema.type === "boolean" ? ["true", "false"] : schema.enum?.map(String);
  const common = { label: name, description, required, error, value };
  if (choices)
    return (
      <NativeSelect {...common} data={["", ...choices]} onChange={(event) => onChange(event.currentTarget.value)} />
    );
  const placeholder = example === undefined ? undefined : String(example);
  return (
    <TextInput
      {...common}
      placeholder={placeholder}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

type BodyProps = {
  type: string;
  filled: FormValues;
  error: string | undefined;
  onChange: (change: Partial<FormValues>) => void;
};

/** The body: JSON as text, anything else as a file. */
function BodyField({ type, filled: { body, file }, error, onChange }: BodyProps) {
  if (type !== "application/json")
    return (
      <FileInput
        label="Body"
        description={type}
        placeholder="Choose a file"
        error={error}
        value={file}
        onChange={(next) => onChange({ file: next })}
      />
    );
  return (
    <Textarea
      label="Body"
      description={type}
      classNames={{ input: classes.body }}
      autosize
      minRows={3}
      maxRows={18}
      spellCheck={false}
      error={error}
      value={body}
      onChange={(event) => onChange({ body: event.currentTarget.value })}
    />
  );
}

/** Sends the request and keeps its response; it can be cancelled, and is aborted on unmount. */
function useSending() {
  const [answer, setAnswer] = useState<TryResponse | null>(null);
  const [failure, setFailure] = useState("");
  const [abort, setAbort] = useState<AbortController | null>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const send = async (request: ReturnType<typeof toRequest>) => {
    const controller = new AbortController();
    running.current = controller;
    setAbort(controller);
    setFailure("");
    setAnswer(null);
    try {
      setAnswer(await sendRequest(request, controller.signal, setAnswer));
    } catch {
      if (!controller.signal.aborted)
        setFailure("The server could not be reached. Whether the request was processed is not known.");
    }
    setAbort(null);
  };
  return { answer, failure, send, cancel: abort && (() => abort.abort()) };
}

/** A form that sends the operation to this server with the user's own key. */
export function TryIt({ operation, credential, onCredential }: Props) {
  const [filled, setFilled] = useState<FormValues>(() => initialValues(operation));
  const [faults, setFaults] = useState<Record<string, string>>({});
  const { answer, failure, send, cancel } = useSending();
  const { parameters, body, method, security } = operation;
  const needed = parameters.filter((p) => p.required);
  const optional = parameters.filter((p) => !p.required);
  const request = toRequest(operation, filled, { base: `${window.location.origin}${BASE}`, credential });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = faultsOf(operation, filled);
    setFaults(found);
    if (Object.keys(found).length === 0) void send(request);
  };
  const fieldsOf = (list: Parameter[]) => (
    <div className={classes.fields}>
      {list.map((parameter) => {
        const name = nameOf(parameter);
        return (
          <ParameterField
            key={name}
            parameter={parameter}
            value={filled.values[name] ?? ""}
            error={faults[name]}
            onChange={(value) => setFilled((now) => ({ ...now, values: { ...now.values, [name]: value } }))}
          />
        );
      })}
    </div>
  );
  return (
    <Section
      title="Try it"
      lead={method === "GET" ? "Sends the request to this server." : "Changes real data on this server."}
    >
      <form onSubmit={submit} className={classes.form} noValidate>
        {security.length > 0 && (
          <PasswordInput
            label="Your API key or token"
            description="Kept in memory until this page is closed; not stored, and not part of the address."
            value={credential}
            autoComplete="off"
            data-1p-ignore
            onChange={(event) => onCredential(event.currentTarget.value)}
          />
        )}
        {needed.length > 0 && fieldsOf(needed)}
        {optional.length > 0 && (
          <details className={classes.more}>
            <summary>
              {optional.length === 1 ? "1 optional parameter" : `${optional.length} optional parameters`}
            </summary>
            {fieldsOf(optional)}
          </details>
        )}
        {body && (
          <BodyField
            type={body.type}
            filled={filled}
            error={faults.body}
            onChange={(change) => setFilled((now) => ({ ...now, ...change }))}
          />
        )}
        <CodeBlock code={curlOf(request)} label="This request in cURL" />
        <div className={classes.actions}>
          <Button type="submit" loading={Boolean(cancel)} leftSection={<Send size={15} aria-hidden />}>
            Send request
          </Button>
          {cancel && (
            <Button variant="default" onClick={cancel}>
              Cancel
            </Button>
          )}
        </div>
      </form>
      <div aria-live="polite">
        {failure && <p className={classes.failure}>{failure}</p>}
        {answer && <ResponsePanel answer={answer} />}
      </div>
    </Section>
  );
}
