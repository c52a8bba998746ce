"use client";

import { Button } from "@mantine/core";
import { useEffect, useRef } from "react";
import { count } from "@/components/format/amounts";
import { dateTime, zoneName } from "@/components/format/time";
import { useZone } from "@/components/format/zone";
import { Breaks } from "@/components/integrity/breaks";
import { VerdictHead } from "@/components/integrity/verdict-head";
import { Figures } from "@/components/ui/figures";
import { Message } from "@/components/ui/message";
import { Section } from "@/components/ui/section";
import { StateTag } from "@/components/ui/state-tag";
import type { BundleVerdict } from "@/server/audit/integrity/verify-bundle";
import type { Checked } from "./check-file";
import classes from "./verify.module.css";

type Readable = Exclude<BundleVerdict, { status: "unreadable" }>;
type Props = { checked: Checked; trustedKey: string | null; onAgain: () => void };

/** What the check found, to be read, printed and kept. */
export function Verdict({ checked, trustedKey, onAgain }: Props) {
  const { verdict, fileName } = checked;
  const ref = useRef<HTMLElement>(null);
  useEffect(() => ref.current?.focus(), []);
  return (
    <section ref={ref} tabIndex={-1} aria-label="Verdict" style={{ outline: "none" }}>
      {verdict.status === "unreadable" ? (
        <VerdictHead kind="unreadable" title="Unreadable">
          {fileName} is no evidence bundle that can be judged. Line {verdict.line}: {verdict.reason}. Nothing follows
          from this about the audit log itself.
        </VerdictHead>
      ) : (
        <Judged verdict={verdict} checked={checked} trustedKey={trustedKey} />
      )}
      <div className={classes.foot}>
        <Button variant="default" onClick={onAgain}>
          Check another bundle
        </Button>
      </div>
    </section>
  );
}

const HEADLINE = { intact: "Intact", broken: "Broken", empty: "No rows" };

function sentence({ verdict, fileName, seconds }: Checked & { verdict: Readable }): string {
  const took = `Checked in ${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s.`;
  if (verdict.status === "empty") return `${fileName} is in order but holds no rows of the range asked for. ${took}`;
  if (verdict.status === "broken") {
    const n = verdict.breaks.length;
    return `${fileName} does not hold in ${n === 1 ? "one place" : `${n} places`}: what it shows is not what was sealed. ${took}`;
  }
  return `Every one of the ${count(verdict.rowsChecked)} rows is as it was sealed, in its place and linked to the one before. ${took}`;
}

function Judged({ verdict, checked, trustedKey }: { verdict: Readable; checked: Checked; trustedKey: string | null }) {
  const { zone } = useZone();
  const { header, span } = { header: verdict.header, span: checked.span };
  const at = (when: string | null) => (when ? dateTime(when, zone) : "open");
  return (
    <>
      <VerdictHead kind={verdict.status} title={HEADLINE[verdict.status]}>
        {sentence({ ...checked, verdict })}
      </VerdictHead>
      <Figures
        label="The bundle"
        items={[
          { label: "Organization", value: header.organization, note: header.orgId, wide: true },
          { label: "Rows checked", value: count(verdict.rowsChecked), note: sequences(verdict) },
          { label: "Anchored through", value: anchored(verdict), note: anchorNote(verdict) },
          {
            label: `First and last row, ${zoneName(zone)}`,
            value: span.from ? `${at(span.from)} to ${at(span.to)}` : "No rows",
            note: `asked for: ${at(header.from)} to ${at(header.to)}`,
            wide: true,
          },
          { label: `Bundle made, ${zoneName(zone)}`, value: at(header.createdAt), note: header.origin, wide: true },
        ]}
      />
      <div className={classes.notes}>
        {verdict.status !== "broken" && verdict.checkpoints === 0 && verdict.rowsChecked > 0 && (
          <Message tone="warn">
            No signed checkpoint covers these rows: they fit together, but nothing in the bundle proves that they are
            the ones that were written.
          </Message>
        )}
        {verdict.checkpoints > 0 && !trustedKey && (
          <Message tone="warn">
            The signatures were checked with the keys that stand in the bundle itself. Compare them with the key that
            the installation publishes, or check again with that key.
          </Message>
        )}
      </div>
      {verdict.breaks.length > 0 && (
        <Section title="Where it breaks" flush>
          <Breaks breaks={verdict.breaks} />
        </Section>
      )}
      <Keys verdict={verdict} trustedKey={trustedKey} />
    </>
  );
}

function sequences(verdict: Readable): string {
  if (verdict.firstSeq === null || verdict.lastSeq === null) return "no entries";
  return `entries ${count(verdict.firstSeq)} to ${count(verdict.lastSeq)}`;
}

const anchored = ({ anchoredThrough }: Readable) =>
  anchoredThrough === null ? "Nothing" : `Entry ${count(anchoredThrough)}`;

function anchorNote({ checkpoints, anchoredThrough, lastSeq }: Readable): string {
  if (anchoredThrough === null) return "no signed checkpoint";
  const signed = checkpoints === 1 ? "1 signed checkpoint" : `${count(checkpoints)} signed checkpoints`;
  const open = (lastSeq ?? 0) - anchoredThrough;
  return open > 0 ? `${signed}; ${open === 1 ? "1 row" : `${count(open)} rows`} after it` : signed;
}

/** The name that a verifier key begins with; signatures are told by it. */
const nameOf = (vkey: string) => vkey.split("+")[0] ?? "";

function Keys({ verdict, trustedKey }: { verdict: Readable; trustedKey: string | null }) {
  const keys = trustedKey ? [...new Set([trustedKey, ...verdict.header.publicKeys])] : verdict.header.publicKeys;
  return (
    <Section title="Keys" lead="A key is worth as much as the way by which you came to know it.">
      <ul className={classes.keys}>
        {keys.map((key) => (
          <li key={key}>
            <code>{key}</code>
            <KeyState
              isTrusted={key === trustedKey}
              hasTrusted={trustedKey !== null}
              signed={verdict.signedBy.includes(nameOf(key))}
            />
          </li>
        ))}
      </ul>
      {keys.length === 0 && "The bundle names no key."}
    </Section>
  );
}

function KeyState({ isTrusted, hasTrusted, signed }: { isTrusted: boolean; hasTrusted: boolean; signed: boolean }) {
  if (isTrusted)
    return signed ? (
      <StateTag tone="good">Your key, and it signed this bundle</StateTag>
    ) : (
      <StateTag tone="bad">Your key, which signed nothing here</StateTag>
    );
  if (hasTrusted) return <StateTag tone="warn">In the bundle, and not the key that you gave</StateTag>;
  return signed ? (
    <StateTag tone="warn">Signed this bundle; not compared yet</StateTag>
  ) : (
    <StateTag tone="off">Signed nothing here</StateTag>
  );
}
