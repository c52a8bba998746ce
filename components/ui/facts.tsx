import type { ReactNode } from "react";

/** What is known of one thing, as pairs of a name and a value. */
export function Facts({ facts, className }: { facts: readonly (readonly [string, ReactNode])[]; className?: string }) {
  return (
    <dl className={className}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
