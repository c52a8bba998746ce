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
import { type BundleVerdict, VERDICT_WORD } from "@/server/audit/bundle/verdict";
import type { Checked } from "./check-file";
import classes from "./verify.module.css";

type Readable = Exclude<BundleVerdict, { status: "unreadable" }>;
/** The keys that the bundle was held to, and whose word it is that they are the right ones. */
export type Trust = { keys: readonly string[]; from: "you" | "server" };
type Props = { checked: Checked; trust: Trust; onAgain: () => void };

/** What the check found, to be read, printed and kept. */
export function Verdict({ checked, trust, onAgain }: Props) {
  const { verdict, fileName } = checked;
  const ref = useRef<HTMLElement>(null);
  useEffect(() => ref.current?.focus(), []);
  return (
    <section ref={ref} tabIndex={-1} aria-label="Verdict" style={{ outline: "none" }}>
      {verdict.status === "unreadable" ? (
        <VerdictHead kind="unreadable" title="Unreadable">
          {fileName} is not an evidence bundle that can be judged. Line {verdict.line}: {verdict.reason}. This says
          nothing about the audit log itself.
        </VerdictHead>
      ) : (
        <Judged verdict={verdict} checked={checked} trust={trust} />
      )}
      <div className={classes.foot}>
        <Button variant="default" onClick={onAgain}>
          Check another bundle
        </Button>
      </div>
    </section>
  );
}

const HEADLINE = VERDICT_WORD;

const whose = ({ keys, from }: Trust) =>
  from === "you" ? "the key that you gave" : `the key of ${nameOf(keys[0] ?? "")}, the server that served this page`;

function sentence({ verdict, fileName, seconds, trust }: Checked & { verdict: Readable; trust: Trust }): string {
  const took = `Checked in ${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s.`;
  if (verdict.status === "broken") {
    const n = verdict.breaks.length;
    return `${fileName} does not hold in ${n === 1 ? "one place" : `${n} places`}: what it shows is not what was sealed. ${took}`;
  }
  if (verdict.status === "unproven")
    return `Nothing in ${fileName} contradicts, but it is not proven that these are the entries as they were written. ${took}`;
  return `Each of the ${count(verdict.rowsChecked)} entries is as it was sealed, in its place and linked to the previous one; the last is signed by ${whose(trust)}. ${took}`;
}

function Judged({ verdict, checked, trust }: { verdict: Readable; checked: Checked; trust: Trust }) {
  const { zone } = useZone();
  const { header } = verdict;
  const span = { from: verdict.firstTime, to: verdict.lastTime };
  const asked = header?.range.kind === "time" ? header.range : { from: null, to: null };
  const at = (when: string | null) => (when ? dateTime(when, zone) : "open");
  return (
    <>
      <VerdictHead kind={verdict.status} title={HEADLINE[verdict.status]}>
        {sentence({ ...checked, verdict, trust })}
      </VerdictHead>
      <Figures
        label="The bundle"
        items={[
          { label: "Organization", value: header?.organization ?? "", note: header?.orgId ?? "", wide: true },
          { label: "Entries checked", value: count(verdict.rowsChecked), note: sequences(verdict) },
          { label: "Anchored through", value: anchored(verdict), note: anchorNote(verdict) },
          {
            label: `First and last entry, ${zoneName(zone)}`,
            value: span.from ? `${at(span.from)} to ${at(span.to)}` : "No entries",
            note: `requested: ${at(asked.from)} to ${at(asked.to)}`,
            wide: true,
          },
          {
            label: `Bundle created, ${zoneName(zone)}`,
            value: at(header?.createdAt ?? null),
            note: header?.origin ?? "",
            wide: true,
          },
        ]}
      />
      <div className={classes.notes}>
        {verdict.reasons.length > 0 && (
          <Message tone="warn">
            {verdict.reasons.map((reason) => (
              <div key={reason}>{reason}</div>
            ))}
          </Message>
        )}
        {verdict.notices.map((notice) => (
          <p key={notice}>{notice}</p>
        ))}
      </div>
      {verdict.breaks.length > 0 && (
        <Section title="Where it breaks" flush>
          <Breaks breaks={verdict.breaks} />
        </Section>
      )}
      <Keys verdict={verdict} trust={trust} />
    </>
  );
}

function sequences(verdict: Readable): string {
  if (verdict.firstSeq === null || verdict.lastSeq === null) return "no entries";
  return `entries ${count(verdict.firstSeq)} to ${count(verdict.lastSeq)}`;
}

const anchored = ({ anchoredThrough }: Readable) =>
  anchoredThrough === null ? "Nothing" : `Entry ${count(anchoredThrough)}`;

function anchorNote({ anchoredThrough, lastSeq }: Readable): string {
  if (anchoredThrough === null) return "no checkpoint of a trusted key";
  const open = (lastSeq ?? 0) - anchoredThrough;
  return open > 0 ? `${open === 1 ? "1 entry" : `${count(open)} entries`} after it` : "the last entry";
}

/** The name that a verifier key begins with; signatures are told by it. */
export const nameOf = (vkey: string) => vkey.split("+")[0] ?? "";

function Keys({ verdict, trust }: { verdict: Readable; trust: Trust }) {
  const keys = [...new Set([...trust.keys, ...(verdict.header?.publicKeys ?? [])])];
  return (
    <Section title="Keys" lead="Trust a key only as far as you trust the source you got it from.">
      <ul className={classes.keys}>
        {keys.map((key) => (
          <li key={key}>
            <code>{key}</code>
            <KeyState trusted={trust.keys.includes(key) ? trust.from : null} signed={verdict.signedBy.includes(key)} />
          </li>
        ))}
      </ul>
      {keys.length === 0 && "The bundle names no key."}
    </Section>
  );
}

const OWNER = { you: "Your key", server: "This server’s key" };

function KeyState({ trusted, signed }: { trusted: Trust["from"] | null; signed: boolean }) {
  if (!trusted) return <StateTag tone="warn">Named by the bundle alone</StateTag>;
  return signed ? (
    <StateTag tone="good">{`${OWNER[trusted]}, and it signed this bundle`}</StateTag>
  ) : (
    <StateTag tone="warn">{`${OWNER[trusted]}, which signed nothing here`}</StateTag>
  );
}
