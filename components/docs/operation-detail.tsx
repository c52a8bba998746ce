"use client";

import { Tabs, Title } from "@mantine/core";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { Fragment, type ReactNode } from "react";
import { CodeBlock } from "@/components/ui/code/code-block";
import { Section } from "@/components/ui/section";
import { ruleOf, typeOf } from "./describe";
import classes from "./docs.module.css";
import { MemberRows, Members } from "./members";
import type { ApiDocument, Operation } from "./openapi";
import { LANGUAGE_LABEL, LANGUAGES, sampleOf } from "./samples";

type Props = { operation: Operation; document: ApiDocument };

/** An example value: strings as they are, everything else as JSON. */
const Example = ({ value, label }: { value: unknown; label: string }) => (
  <CodeBlock code={typeof value === "string" ? value : JSON.stringify(value, null, 2)} label={label} />
);

/** Renders backticks in a description as code; every second part is code. */
function withCode(text: string) {
  let at = 0;
  return text.split("`").map((part, i) => {
    at += part.length + 1;
    return i % 2 === 1 ? <code key={at}>{part}</code> : <Fragment key={at}>{part}</Fragment>;
  });
}

/** One operation: parameters, responses, and code samples. */
export function OperationDetail({ operation, document, tryIt }: Props & { tryIt: ReactNode }) {
  const { schemas } = document;
  const answers = Object.entries(operation.responses);
  const good = answers.filter(([status]) => status.startsWith("2"));
  const bad = answers.filter(([status]) => !status.startsWith("2"));
  const parametersIn = (location: string) =>
    operation.parameters
      .filter((p) => p.in === location)
      .map((p) => ({
        name: p.name,
        type: typeOf(p.schema),
        rule: ruleOf(p.schema),
        meaning: p.description ?? "",
        isRequired: p.required ?? false,
      }));
  return (
    <article className={classes.operation}>
      <header>
        <Title order={2} size="h1">
          {operation.summary}
        </Title>
        <p className={classes.address}>
          <span className={classes.method}>{operation.method}</span>
          <code>{operation.path}</code>
        </p>
        <p className={classes.needs}>
          {operation.description && withCode(operation.description)} {credentials(operation)}
        </p>
      </header>
      <Sample operation={operation} document={document} />
      {tryIt}
      {["path", "query", "header"].map((location) => {
        const rows = parametersIn(location);
        return rows.length > 0 ? (
          <Section key={location} title={LOCATION_LABEL[location] ?? location}>
            <MemberRows rows={rows} label={LOCATION_LABEL[location] ?? location} />
          </Section>
        ) : null;
      })}
      {operation.body && (
        <Section title="Body" lead={operation.body.type}>
          <Members schema={operation.body.schema} schemas={schemas} label="Body" />
        </Section>
      )}
      {good.map(([status, answer]) => (
        <Section
          key={status}
          title={`Response ${status}`}
          lead={Object.keys(answer.content ?? {}).join(", ") || "no body"}
        >
          {Object.entries(answer.content ?? {}).map(([type, { schema, example }]) => (
            <Fragment key={type}>
              {example !== undefined && <Example value={example} label={`Example of ${status}, ${type}`} />}
              <Members schema={schema} schemas={schemas} label={`Response ${status}`} />
            </Fragment>
          ))}
        </Section>
      ))}
      <Section title="Errors" lead="application/problem+json">
        <dl className={classes.errors}>
          {bad.map(([status, answer]) => (
            <div key={status}>
              <dt>{status}</dt>
              <dd>{withCode(answer.description)}</dd>
            </div>
          ))}
        </dl>
      </Section>
    </article>
  );
}

const LOCATION_LABEL: Record<string, string> = { path: "In the path", query: "Query parameters", header: "Headers" };

function credentials({ security }: Operation): string {
  if (security.length === 0) return "No credentials required.";
  return security.some((s) => "agentToken" in s)
    ? "Requires an agent token."
    : "Requires an access token, an API key or a browser session.";
}

function Sample({ operation, document }: Props) {
  const [language, setLanguage] = useQueryState("lang", parseAsStringLiteral(LANGUAGES).withDefault("curl"));
  return (
    <Tabs
      value={language}
      onChange={(value) => void setLanguage(LANGUAGES.find((name) => name === value) ?? null)}
      keepMounted={false}
    >
      <Tabs.List className={classes.tabs} aria-label="Sample in">
        {LANGUAGES.map((name) => (
          <Tabs.Tab key={name} value={name}>
            {LANGUAGE_LABEL[name]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {LANGUAGES.map((name) => (
        <Tabs.Panel key={name} value={name} className={classes.sample}>
          <CodeBlock
            code={sampleOf(operation, { language: name, base: document.base })}
            label={`Sample in ${LANGUAGE_LABEL[name]}`}
          />
          <p>Replace the words in capitals.</p>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
