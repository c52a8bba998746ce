"use client";

import { Input, NumberInput, SegmentedControl } from "@mantine/core";
import { useState } from "react";
import classes from "./integrity.module.css";
import { faultOf, modeOf, type Part, type RangeMode, WHOLE } from "./part";
import { RangeFields } from "./range-fields";

const RANGE_MODES: { value: RangeMode; label: string }[] = [
  { value: "time", label: "By time" },
  { value: "sequence", label: "By entry" },
];

type Props = { part: Part; onPart: (part: Part) => unknown };

/** The ends of a range, as times in the display zone or as sequence numbers; an empty one is open. */
export function PartFields({ part, onPart }: Props) {
  const [mode, setMode] = useState<RangeMode>("time");
  const given = modeOf(part);
  if (given && given !== mode) setMode(given);
  const RangeEnds = mode === "time" ? Times : Sequences;
  return (
    <>
      <Input.Wrapper label="Range" labelElement="div" className={classes.way}>
        <SegmentedControl
          aria-label="Range by time or by entry"
          data={RANGE_MODES}
          value={mode}
          onChange={(next) => {
            setMode(next);
            onPart(WHOLE);
          }}
        />
      </Input.Wrapper>
      <RangeEnds part={part} onPart={onPart} />
    </>
  );
}

const errorAt = (part: Part, end: "from" | "to"): string | null => {
  const fault = faultOf(part);
  return fault?.end === end ? fault.text : null;
};

function Times({ part, onPart }: Props) {
  return <RangeFields range={part} onRange={(range) => onPart({ ...part, ...range })} error={errorAt(part, "from")} />;
}

function Sequences({ part, onPart }: Props) {
  const field = (end: "from" | "to", label: string) => {
    const member = `${end}Seq` as const;
    return {
      label,
      error: errorAt(part, end),
      value: part[member] ?? "",
      onChange: (value: string | number) =>
        onPart({ ...part, [member]: typeof value === "number" && Number.isSafeInteger(value) ? value : null }),
      allowDecimal: false,
      allowNegative: false,
      maxLength: MAX_DIGITS,
      thousandSeparator: ",",
      hideControls: true,
      w: 150,
    };
  };
  return (
    <>
      <NumberInput {...field("from", "First entry")} placeholder="the first" />
      <NumberInput {...field("to", "Last entry")} placeholder="the newest" />
    </>
  );
}

/** Including separators; longer than any sequence number. */
const MAX_DIGITS = 15;
