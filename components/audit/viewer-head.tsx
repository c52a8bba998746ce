"use client";

import { ActionIcon } from "@mantine/core";
import { X } from "lucide-react";
import dynamic from "next/dynamic";
import { useSearchParams } from "next/navigation";
import { useState } from "react";
import { useZone } from "@/components/format/zone";
import { mapValues } from "@/server/ground/records";
import { RangeLine } from "./filters/range-line";
import { Histogram } from "./histogram/histogram";
import { useReader } from "./search/reader";
import { chipsOf } from "./state/describe-filters";
import { hideRoutine } from "./state/narrow";
import { usePins } from "./state/pins";
import { shortSpan } from "./state/range";
import { FROM_START, filterParsers, hidesRoutine, invalidParams, spanOf } from "./state/view";
import { useViewer } from "./state/viewer-context";
import { Toolbar } from "./toolbar";
import classes from "./viewer.module.css";

const PinBar = dynamic(() => import("./compare/pin-bar").then((m) => m.PinBar), { ssr: false });
const InvalidParams = dynamic(() => import("./invalid-notes").then((m) => m.InvalidParams), { ssr: false });
const InvalidQualifiers = dynamic(() => import("./invalid-notes").then((m) => m.InvalidQualifiers), { ssr: false });
const NOTHING = { ...mapValues(filterParsers, () => null), typed: null };

/** The active filters, each removable; hidden telemetry is one of them. */
function Chips() {
  const { view, setView, audit } = useViewer();
  const { zone } = useZone();
  const reader = useReader(zone);
  const { from, to, typed, orgId } = view;
  const time = { range: null, from: null, to: null, ...FROM_START };
  const chips = [
    ...chipsOf(view, audit.names),
    // Organizations are selected elsewhere, unless a line named one.
    ...(typed && orgId && !orgId.includes(",")
      ? [
          {
            key: "orgId",
            name: "Organization",
            value: audit.names.get(orgId) ?? orgId,
            drop: () => ({ orgId: null, ...FROM_START }),
          },
        ]
      : []),
    ...(from || to
      ? [{ key: "time", name: "Time", value: shortSpan(spanOf(view, zone, new Date()), zone), drop: () => time }]
      : []),
    ...(hidesRoutine(view)
      ? [{ key: "routine", name: "Without", value: "routine telemetry", drop: () => hideRoutine(view, false) }]
      : []),
  ];
  const searchLiterally = async () => setView({ ...(await reader.readLiterally(view)), ...FROM_START });
  if (chips.length === 0 && !typed) return null;
  return (
    <ul className={classes.chips} aria-label="Active filters" data-screen>
      {chips.map((chip) => (
        <li key={chip.key} className={classes.chip}>
          <span className={`tm-clipped ${classes.chipName}`}>{chip.name}</span>
          <span className="tm-clipped">{chip.value}</span>
          <ActionIcon
            size={24}
            ml={2}
            aria-label={`Remove filter ${chip.name}: ${chip.value}`}
            onClick={() => setView(chip.drop)}
          >
            <X size={12} aria-hidden />
          </ActionIcon>
        </li>
      ))}
      {chips.length > 1 && (
        <li>
          <button type="button" className="tm-press" onClick={() => setView({ ...NOTHING, ...FROM_START })}>
            Clear all
          </button>
        </li>
      )}
      {typed && (
        <li>
          <button type="button" className="tm-press" onClick={() => void searchLiterally()}>
            Search these words literally
          </button>
        </li>
      )}
    </ul>
  );
}

/** Everything above the entries: title and toolbar, filters, histogram with range and counts, and pinned entries. */
export function ViewerHead() {
  const { view, audit } = useViewer();
  // Only used on phones, where the histogram starts folded.
  const [showsChart, setShowsChart] = useState(false);
  const hasPins = usePins().length > 0;
  const invalid = invalidParams(new URLSearchParams(useSearchParams()));
  return (
    <>
      <Toolbar showsChart={showsChart} onChart={() => setShowsChart(!showsChart)} />
      <Chips />
      {invalid.length > 0 && <InvalidParams parts={invalid} />}
      {view.q && <InvalidQualifiers />}
      <Histogram isUnfolded={showsChart}>
        <RangeLine />
      </Histogram>
      {audit.bar}
      {hasPins && <PinBar openId={view.row} />}
    </>
  );
}
