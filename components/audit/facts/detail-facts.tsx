"use client";

import { Fragment } from "react";
import type { NamedFact } from "./fact";
import { FactValue } from "./fact-value";
import classes from "./facts.module.css";

/** Labelled facts; nested ones are indented under their label. */
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
