"use client";

import { Fragment } from "react";
import type { NamedFact } from "./fact";
import { FactValue } from "./fact-value";
import classes from "./facts.module.css";

/** Labelled facts; what is nested is beneath its label. */
export function DetailFacts({ facts }: { facts: NamedFact[] }) {
  return (
    <dl className={classes.facts}>
      {facts.map(({ path, label, fact }) => (
        <Fragment key={path}>
          <dt>{label}</dt>
          <dd>{fact.kind === "group" ? <DetailFacts facts={fact.facts} /> : <FactValue fact={fact} />}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
