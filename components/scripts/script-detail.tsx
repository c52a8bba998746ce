"use client";

import { Text } from "@mantine/core";
import { When } from "@/components/format/when";
import { CodeBlock } from "@/components/ui/code/code-block";
import { Facts } from "@/components/ui/facts";
import type { LibraryScript } from "@/server/devices/scripts/schema";
import { capitalized } from "@/server/ground/text";
import { LANGUAGE_LABEL, osLabel, RUN_AS_LABEL } from "./labels";
import classes from "./scripts.module.css";

/** One script: description, parameters and source. */
export function ScriptDetail({ script }: { script: LibraryScript }) {
  const facts: [string, React.ReactNode][] = [
    ["System", osLabel(script.osTypes)],
    ["Category", capitalized(script.category)],
    ["Language", LANGUAGE_LABEL[script.language]],
    ["Runs as", RUN_AS_LABEL[script.runAs]],
    ["Times out after", `${script.timeoutSeconds} s`],
    ["Version", script.version],
    ["Changed", <When key="at" at={script.updatedAt} dateOnly />],
  ];
  return (
    <div className={classes.detail}>
      <Text>{script.description}</Text>
      <Facts className={classes.facts} facts={facts} />
      {script.parameters.length > 0 && (
        <section aria-label="Parameters">
          <Text fw={600}>Parameters</Text>
          <ul className={classes.parameters}>
            {script.parameters.map((p) => (
              <li key={p.name}>
                <div>
                  <code>{p.name}</code>
                  <span>
                    {p.type}
                    {p.required ? ", required" : p.default === null ? "" : `, default ${String(p.default)}`}
                  </span>
                </div>
                {p.description}
              </li>
            ))}
          </ul>
        </section>
      )}
      <CodeBlock code={script.content} label={`Text of ${script.name}`} tall />
    </div>
  );
}
