import type { ReactNode } from "react";
import classes from "./facts.module.css";

type Props = {
  facts: readonly (readonly [string, ReactNode])[];
  label?: string;
  /** The value below its name, in as many columns as fit. */
  inBlocks?: boolean;
  className?: string | undefined;
};

/** Facts as a list of names and values. */
export const Facts = ({ facts, label, inBlocks, className = inBlocks ? classes.blocks : classes.facts }: Props) => (
  <dl className={className} aria-label={label}>
    {facts.map(([name, value]) => (
      <Fact key={name} name={name}>
        {value}
      </Fact>
    ))}
  </dl>
);

/** One fact inside a list. */
export const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
