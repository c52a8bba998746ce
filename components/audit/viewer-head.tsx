"use client";

import { useSearchParams } from "next/navigation";
import { useState } from "react";
import { useOrg } from "@/components/account/org";
import { PageHeader } from "@/components/ui/page-header";
import { Chips } from "./chips";
import { PinBar } from "./compare/pin-bar";
import { InvalidParams } from "./filters/invalid-params";
import { RangeLine } from "./filters/range-line";
import { Histogram } from "./histogram/histogram";
import { InvalidQualifiersNote } from "./search/invalid-qualifiers-note";
import { invalidParams } from "./state/view";
import { useViewer } from "./state/viewer-context";
import { Toolbar } from "./toolbar";
import classes from "./viewer.module.css";

/** Everything above the entries: title, toolbar, filters, histogram, range and pinned entries. */
export function ViewerHead() {
  const { view, audit } = useViewer();
  // Only used on phones, where the histogram starts folded.
  const [showsChart, setShowsChart] = useState(false);
  const invalid = invalidParams(new URLSearchParams(useSearchParams()));
  return (
    <>
      <div className={classes.head}>
        <Header />
      </div>
      <Toolbar showsChart={showsChart} onChart={() => setShowsChart(!showsChart)} />
      <Chips />
      {invalid.length > 0 && <InvalidParams parts={invalid} />}
      <InvalidQualifiersNote />
      <Histogram isUnfolded={showsChart} />
      <RangeLine />
      {audit.bar}
      <PinBar openId={view.row} />
    </>
  );
}

function Header() {
  const { org, organizations, several } = useOrg();
  const home = org ?? (organizations.length === 1 ? organizations[0] : null);
  const lead = home
    ? `Who did what at ${home.name}.`
    : several.length > 0
      ? `Who did what in ${several.length} of your organizations.`
      : "Who did what, in every organization you can see.";
  return <PageHeader title="Audit log" lead={lead} />;
}
