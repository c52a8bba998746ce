"use client";

import { Button, Group, Stack } from "@mantine/core";
import { useEffect, useRef } from "react";
import { count } from "@/components/format/amounts";
import { dateTime, zoneName } from "@/components/format/time";
import { useZone } from "@/components/format/zone";
import { Breaks, placesText } from "@/components/integrity/breaks";
import { VerdictHead } from "@/components/integrity/verdict-head";
import { type TrustSource, trustOwner } from "@/components/proof/check-proof";
import { Figures } from "@/components/ui/figures";
import { Message } from "@/components/ui/notice";
import { Section } from "@/components/ui/page-header";
import { StateTag } from "@/components/ui/state-tag";
import { type JudgedBundle, VERDICT_WORD } from "@/server/evidence/bundle/verdict";
import { formatVerifierKey } from "@/server/evidence/tree/signed-note";
import { windowText } from "@/server/evidence/tree/statement";
import { Certificate } from "./certificate";
import type { Checked } from "./check-file";
import { Entries } from "./entries";
import { countsText, rangeText } from "./scope-text";
import classes from "./verify.module.css";

/** Quotes an argument for a shell: a file's name may contain spaces and special characters. */
const quoted = (word: string): string => (/^[\w./+=@:-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** Prevents a file name that starts with a dash from being read as an option. */
const fileWord = (name: string): string => quoted(name.startsWith("-") ? `./${name}` : name);

/** The command that repeats a check, one option per line, because print would wrap a long line at the wrong place. */
export function repeatCommand(fileName: string, { trust, from }: TrustSource): string {
  // Only a policy can require a quorum.
  const isPolicy = from === "you" && trust.witnesses.length > 0;
  const trusted = isPolicy
    ? ["--policy POLICY_FILE"]
    : trust.logs.map((key) => `--key ${quoted(formatVerifierKey(key))}`);
  return [`npm run trailmark -- verify ${fileWord(fileName)}`, ...trusted].join(" \\\n  ");
}

/** The key's bytes without its name: an organization's and the installation's entry differ only in name and id. */
const bytesOf = (key: string): string => /^[^+]+\+[0-9a-f]{8}\+(.+)$/.exec(key)?.[1] ?? key;

const OWNER = { you: "Your key", server: "This server’s key", nobody: "" };

/** The keys given and those named in the bundle, with what each signed; then the witnesses. */
function Keys({ verdict, trustSource }: { verdict: JudgedBundle; trustSource: TrustSource }) {
  const trusted = trustSource.trust.logs.map(formatVerifierKey);
  const known = new Set(trusted.map(bytesOf));
  const named = (verdict.header?.publicKeys ?? []).filter((key) => !known.has(bytesOf(key)));
  const signed = new Set(verdict.signedBy.map(bytesOf));
  return (
    <Section title="Keys" lead="Trust a key only as far as you trust the source you got it from.">
      <Stack component="ul" gap="md" className={classes.keys}>
        {trusted.map((key) => (
          <li key={key}>
            <code>{key}</code>
            <StateTag tone={signed.has(bytesOf(key)) ? "good" : "warn"}>
              {`${OWNER[trustSource.from]}, ${signed.has(bytesOf(key)) ? "and it signed the checkpoint" : "which signed no checkpoint here"}`}
            </StateTag>
          </li>
        ))}
        {named.map((key) => (
          <li key={key}>
            <code>{key}</code>
            <StateTag tone="warn">Named only by the bundle</StateTag>
          </li>
        ))}
        {verdict.cosignedBy.map(({ name, at }) => (
          <li key={name}>
            <code>{name}</code>
            <StateTag tone="good">{`Witness, cosigned at ${at}`}</StateTag>
          </li>
        ))}
      </Stack>
      {verdict.quorum === "not met" && "Fewer witnesses cosigned than your policy asks for."}
      {trusted.length + named.length === 0 && "The bundle names no key."}
    </Section>
  );
}

type Props = { checked: Checked; trustSource: TrustSource; onAgain: () => void };

/** The result of the check; can be printed as a certificate. */
export function Verdict({ checked, trustSource, onAgain }: Props) {
  const { verdict, fileName } = checked;
  const ref = useRef<HTMLElement>(null);
  useEffect(() => ref.current?.focus(), []);
  const isJudged = verdict.status !== "unreadable";
  return (
    <section ref={ref} tabIndex={-1} aria-label="Verdict" style={{ outline: "none" }}>
      <div data-screen>
        {isJudged ? (
          <BundleResult verdict={verdict} checked={checked} trustSource={trustSource} />
        ) : (
          <VerdictHead kind="unreadable" title={VERDICT_WORD.unreadable}>
            {fileName} is not an evidence bundle that can be checked. Line {verdict.line}: {verdict.reason}. This says
            nothing about the audit log itself.
          </VerdictHead>
        )}
        <Group gap="md" px="edge" pt="sm" pb={32}>
          {isJudged && <Button onClick={() => window.print()}>Print certificate</Button>}
          <Button variant="default" onClick={onAgain}>
            Check another bundle
          </Button>
        </Group>
      </div>
      {isJudged && (
        <Certificate
          verdict={verdict}
          checked={checked}
          checkedAgainst={trustOwner(trustSource)}
          command={repeatCommand(checked.fileName, trustSource)}
        />
      )}
    </section>
  );
}

/** The trusted keys that actually signed; another given key may have signed nothing. */
function signers({ signedBy }: JudgedBundle, { from }: TrustSource): string {
  const keys = signedBy.map((key) => key.split("+", 2).join("+")).join(", ");
  return from === "you" ? `${keys}, which you gave` : `${keys}, a key of the server that served this page`;
}

function sentence({
  verdict,
  checked,
  trustSource,
}: {
  verdict: JudgedBundle;
  checked: Checked;
  trustSource: TrustSource;
}): string {
  const { fileName, seconds } = checked;
  const time = seconds < 10 ? seconds.toFixed(1) : Math.round(seconds);
  const took = time === "0.0" ? "" : ` Checked in ${time} s.`;
  if (verdict.status === "broken")
    return `${fileName} does not hold in ${placesText(verdict.breaks)}: what it shows is not what was sealed.${took}`;
  if (verdict.status === "unproven")
    return `No contradiction was found in ${fileName}, but checked against ${trustOwner(trustSource)}, it is not proven that these are the entries as they were written.${took}`;
  if (verdict.status === "empty")
    return `The range holds no entry. Log and selection are signed by ${signers(verdict, trustSource)}.${took}`;
  const each = verdict.rowsChecked === 1 ? "The one entry" : `Each of the ${count(verdict.rowsChecked)} entries`;
  return `${each} is as it was sealed and in its position. Signed by ${signers(verdict, trustSource)}.${took}`;
}

type BundleResultProps = { verdict: JudgedBundle; checked: Checked; trustSource: TrustSource };

function BundleResult({ verdict, checked, trustSource }: BundleResultProps) {
  return (
    <>
      <VerdictHead kind={verdict.status} title={VERDICT_WORD[verdict.status]}>
        {sentence({ verdict, checked, trustSource })}
      </VerdictHead>
      {verdict.warnings.length > 0 && (
        <Message tone="warn">
          {verdict.warnings.map((warning) => (
            <div key={warning}>{warning}</div>
          ))}
        </Message>
      )}
      <Scope verdict={verdict} />
      <Stack gap="sm" px="edge" pt="lg" className={classes.notes}>
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
      </Stack>
      {verdict.breaks.length > 0 && (
        <Section title="Where it breaks" flush>
          <Breaks breaks={verdict.breaks} />
        </Section>
      )}
      <Entries entries={checked.entries} />
      <Keys verdict={verdict} trustSource={trustSource} />
    </>
  );
}

const COMPLETE = { proven: "complete: proven", attested: "complete: attested, not proven" };

/** The log, its range, and the number of entries. */
function Scope({ verdict }: { verdict: JudgedBundle }) {
  const { zone } = useZone();
  const { header, checkpoint, complete, receipt } = verdict;
  const range = header?.range.kind === "time" ? header.range : null;
  const at = (when: string) => dateTime(when, zone);
  return (
    <Figures
      label="The bundle"
      items={[
        { label: "Organization", value: header?.organization ?? "Unknown", note: header?.orgId ?? "", wide: true },
        { label: "Entries checked", value: count(verdict.rowsChecked), note: countsText(verdict) },
        {
          label: "Checkpoint",
          value: checkpoint ? `Size ${count(checkpoint.size)}` : anchored(verdict),
          note: checkpoint ? `signed ${at(checkpoint.signedAt)}` : sequences(verdict),
        },
        {
          label: `Range, ${zoneName(zone, range?.from, range?.to)}`,
          value: header ? rangeText(header.range, at) : "Unknown",
          note: complete ? COMPLETE[complete] : "completeness not proven",
          wide: true,
        },
        {
          label: `First and last entry, ${zoneName(zone, verdict.firstTime, verdict.lastTime, header?.createdAt)}`,
          value: verdict.firstTime && verdict.lastTime ? `${at(verdict.firstTime)} to ${at(verdict.lastTime)}` : "None",
          note: header ? `bundle created ${at(header.createdAt)}` : "",
          wide: true,
        },
        ...(receipt
          ? [
              {
                label: "Retention",
                value: `Through entry ${count(receipt.through)}`,
                note: `under ${windowText(receipt)}`,
                wide: true,
              },
            ]
          : []),
      ]}
    />
  );
}

function sequences({ firstSeq, lastSeq }: JudgedBundle): string {
  return firstSeq === null || lastSeq === null ? "no entries" : `entries ${count(firstSeq)} to ${count(lastSeq)}`;
}

const anchored = ({ anchoredThrough }: JudgedBundle) =>
  anchoredThrough === null ? "None" : `Through entry ${count(anchoredThrough)}`;
