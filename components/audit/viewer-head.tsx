"use client";

import { CloseButton } from "@mantine/core";
import { Check } from "lucide-react";
import { useSearchParams } from "next/navigation";
import { useState } from "react";
import { useOrg } from "@/components/account/org";
import { useZone } from "@/components/format/zone";
import { Message } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { PinBar } from "./compare/pin-bar";
import { RangeLine } from "./filters/range-line";
import { Histogram } from "./histogram/histogram";
import { invalidQualifiers } from "./search/invalid-qualifiers";
import { readTyped } from "./search/reader";
import { chipsOf } from "./state/describe-filters";
import { excluding, hideRoutine } from "./state/narrow";
import { FROM_START, hidesRoutine, invalidParams, type View } from "./state/view";
import { useViewer } from "./state/viewer-context";
import { Toolbar } from "./toolbar";
import classes from "./viewer.module.css";

/** Reports URL parameters that were ignored because they are invalid. */
function InvalidParams({ parts }: { parts: string[] }) {
  return (
    <div className={classes.invalid}>
      <Message tone="warn">
        Part of the address is not valid and was ignored: {parts.join(", ")}. It does not filter the list below.
      </Message>
    </div>
  );
}

/** Lists parts of the search that look like filters but are not, each with a button for the probable intention. */
function InvalidQualifiersNote() {
  const { view, setView } = useViewer();
  const { zone } = useZone();
  const text = view.q ?? "";
  const invalid = invalidQualifiers(text);
  if (invalid.length === 0) return null;
  const read = async (part: string, instead: string) =>
    setView({ ...(await readTyped(view, text.replace(part, instead), { zone, now: new Date() })), ...FROM_START });
  return (
    <div className={classes.invalid}>
      <Message tone="warn">
        {invalid.map(({ part, reason, instead }) => (
          <span key={part}>
            <code>{part}</code> {reason}; it was searched as text.{" "}
            {instead && (
              <button type="button" className={classes.textButton} onClick={() => void read(part, instead)}>
                Search for {instead} instead
              </button>
            )}{" "}
          </span>
        ))}
      </Message>
    </div>
  );
}

/** The active filters, each removable, and the switch that hides routine telemetry. */
function Chips() {
  const { view, setView, audit, settings } = useViewer();
  const chips = chipsOf(view, audit.names);
  const hidden = hidesRoutine(view);
  const clearAll: Partial<View> = Object.assign({}, ...chips.map((chip) => chip.clear), excluding([]));
  return (
    <ul className={classes.chips} aria-label="Active filters">
      <li>
        <button
          type="button"
          className={classes.switch}
          aria-pressed={settings.folds}
          aria-keyshortcuts="f"
          onClick={() => settings.change({ fold: !settings.folds })}
        >
          {settings.folds && <Check size={13} aria-hidden />}
          Fold repeats and telemetry
        </button>
      </li>
      <li>
        <button
          type="button"
          className={classes.switch}
          aria-pressed={hidden}
          onClick={() => setView(hideRoutine(view, !hidden))}
        >
          {hidden && <Check size={13} aria-hidden />}
          Hide routine agent telemetry
        </button>
      </li>
      {chips.map((chip) => (
        <li key={chip.key} className={classes.chip}>
          <span className={classes.chipName}>{chip.name}</span>
          <span>{chip.value}</span>
          <CloseButton
            size={24}
            iconSize={12}
            aria-label={`Remove filter ${chip.name}: ${chip.value}`}
            onClick={() => setView(chip.clear)}
          />
        </li>
      ))}
      {chips.length > 1 && (
        <li>
          <button type="button" className={classes.textButton} onClick={() => setView(clearAll)}>
            Clear all
          </button>
        </li>
      )}
    </ul>
  );
}

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
