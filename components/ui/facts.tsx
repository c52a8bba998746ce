import type { ReactNode } from "react";
import classes from "./facts.module.css";

/** Facts as a list of names and values. */
export function Facts({
  facts,
  className = classes.facts,
}: {
  facts: readonly (readonly [string, ReactNode])[];
  className?: string;
}) {
  return (
    <dl className={className}>
      {facts.map(([name, value]) => (
        <Fact key={name} name={name}>
          {value}
        </Fact>
      ))}
    </dl>
  );
}

/** One fact inside a list. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
