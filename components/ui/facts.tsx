import type { ReactNode } from "react";

/** What is known of one thing, as pairs of a name and a value. */
export function Facts({ facts, className }: { facts: readonly (readonly [string, ReactNode])[]; className?: string }) {
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

/** One pair, inside a list of them. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
