import { count } from "@/components/format/amounts";
import { dateTime } from "@/components/format/time";
import { Via } from "@/components/format/via";
import { VerdictHead } from "@/components/integrity/verdict-head";
import { Fact } from "@/components/ui/facts";
import { actionSentence } from "@/server/audit/action-label";
import { accordingTo, type SubmittedBy, submitterIn } from "@/server/audit/provenance";
import type { ChainRow } from "@/server/audit/row";
import { deviceNamed, RESULTS } from "@/server/audit/vocabulary";
import { VERDICT_WORD } from "@/server/evidence/bundle/verdict";
import type { ProofVerdict } from "@/server/evidence/proofs/judge-proof";
import { timeOfSeconds } from "@/server/evidence/tree/statement";
import { isObject } from "@/server/ground/records";
import { type CheckedProof, type TrustSource, trustOwner } from "./check-proof";
import classes from "./proof.module.css";

/** "20 Nov 2026, 14:02:31 UTC": proofs are read in different time zones. */
const utc = (when: Date | string): string => `${dateTime(when, "UTC")} UTC`;

type Judged = Exclude<ProofVerdict, { status: "unreadable" }>;
type Props = { checked: CheckedProof; trustSource: TrustSource; organization: string | undefined };

function sentence(verdict: ProofVerdict, trustSource: TrustSource): string {
  if (verdict.status === "unreadable") return `${verdict.reason} This says nothing about any audit log.`;
  if (verdict.status === "broken")
    return `What this proof shows is not what was signed. Do not rely on it. ${verdict.reasons.join(" ")}`;
  if (verdict.status === "unproven")
    return `No contradiction was found, but it is not proven that this is a genuine log. ${verdict.reasons.join(" ")}`;
  return `This entry is part of the audit log, exactly as shown; the log is signed by ${trustOwner(trustSource)}.`;
}

/** The result of the check. Plain markup, because the downloadable file contains it too. */
export function ProofVerdictView({ checked, trustSource, organization }: Props) {
  const { verdict, checksum } = checked;
  return (
    <section aria-label="Verdict">
      <div role="status">
        <VerdictHead kind={verdict.status} title={VERDICT_WORD[verdict.status]}>
          {sentence(verdict, trustSource)}
        </VerdictHead>
      </div>
      {verdict.status !== "unreadable" && (
        <>
          {verdict.row && <Entry row={verdict.row} isClaim={verdict.status !== "intact"} organization={organization} />}
          <Position verdict={verdict} checksum={checksum} />
          <Signatures verdict={verdict} />
          <Meaning verdict={verdict} trustSource={trustSource} />
        </>
      )}
    </section>
  );
}

const timeOf = ({ timestampMs }: ChainRow): string => {
  const at = new Date(Number(timestampMs));
  return Number.isNaN(at.getTime()) ? String(timestampMs) : utc(at);
};

/** An unknown result is shown as is. */
function sentenceOf(row: ChainRow, actor: string, by: SubmittedBy): string {
  const { action, result: stored, resourceName, resourceType, errorMessage } = row;
  const device = deviceNamed(detailsOf(row));
  const result = RESULTS.find((one) => one === stored);
  return result
    ? actionSentence({
        actor,
        action,
        result,
        resourceName,
        resourceType,
        device: device === resourceName ? null : device,
        source: accordingTo(by),
        reason: errorMessage,
      })
    : `${accordingTo(by)}${actor}: ${action}, ${stored}`;
}

/** Numbers keep the hashed digits, if the browser provides them. */
const asWritten = (_: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value === "number" ? (context?.source ?? value) : value;

/** Details as an object; empty if unreadable. The verdict is about their text, which is shown too. */
function detailsOf({ details }: ChainRow): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(details ?? "{}", asWritten);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

const shown = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing"));

/** "antivirus: enabled → disabled": each changed member, before and after. */
function Changes({ row }: { row: ChainRow }) {
  const { before, after } = detailsOf(row);
  const [old, now] = [isObject(before) ? before : {}, isObject(after) ? after : {}];
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
    (name) => shown(old[name]) !== shown(now[name]),
  );
  if (names.length === 0) return null;
  return (
    <>
      <h3>Changes</h3>
      <dl className={classes.facts}>
        {names.map((name) => (
          <Fact key={name} name={name}>
            {shown(old[name])} → {shown(now[name])}
          </Fact>
        ))}
      </dl>
    </>
  );
}

type EntryProps = { row: ChainRow; isClaim: boolean; organization: string | undefined };

function Entry({ row, isClaim, organization }: EntryProps) {
  const by = submitterIn(row.details);
  const actor = row.actorEmail ?? `${row.actorType} ${row.actorId}`;
  return (
    <section className={classes.part} aria-labelledby="proof-entry">
      <h2 id="proof-entry">{isClaim ? "What the file claims" : "The entry"}</h2>
      <p className={classes.sentence}>{sentenceOf(row, actor, by)}</p>
      <dl className={classes.facts}>
        <Fact name="Time">{timeOf(row)}</Fact>
        <Fact name="Actor">
          {actor} <code>{row.actorId}</code>
        </Fact>
        {by && (
          <Fact name="Submitted">
            <Via by={by} /> <code>{by.keyId}</code>
          </Fact>
        )}
        <Fact name="Action">
          <code>{row.action}</code>
        </Fact>
        <Fact name="Target">
          {row.resourceName ?? row.resourceType} <code>{row.resourceId ?? row.resourceType}</code>
        </Fact>
        <Fact name="Result">{row.result}</Fact>
        {row.errorMessage && <Fact name="Error">{row.errorMessage}</Fact>}
        {row.ipAddress && <Fact name="Address">{row.ipAddress}</Fact>}
        {row.userAgent && <Fact name="User agent">{row.userAgent}</Fact>}
        <Fact name="Entry ID">
          <code>{row.id}</code>
        </Fact>
        {organization && <Fact name="Organization">{organization} (named by this server, not part of the proof)</Fact>}
        <Fact name="Organization ID">
          <code>{row.orgId}</code>
        </Fact>
      </dl>
      <Changes row={row} />
      {row.details && (
        <>
          <h3>Details</h3>
          <pre className={classes.details}>{row.details}</pre>
        </>
      )}
    </section>
  );
}

function Position({ verdict, checksum }: { verdict: Judged; checksum: string | null }) {
  const { row, checkpoint } = verdict;
  if (!row || !checkpoint) return null;
  return (
    <section className={classes.part} aria-labelledby="proof-place">
      <h2 id="proof-place">Position in the log</h2>
      <dl className={classes.facts}>
        <Fact name="Position">
          Entry {count(Number(row.chainSeq))} of {count(checkpoint.size)}
        </Fact>
        <Fact name="Log">
          <code>{checkpoint.origin}</code>
        </Fact>
        {checksum && (
          <Fact name="Checksum, computed here">
            <code>{checksum}</code>
          </Fact>
        )}
        <Fact name="Previous checksum">{row.prevChecksum ? <code>{row.prevChecksum}</code> : "none: the first"}</Fact>
      </dl>
    </section>
  );
}

function Signatures({ verdict }: { verdict: Judged }) {
  const { signedBy, cosignedBy, unchecked, checkpoint } = verdict;
  if (!checkpoint) return null;
  return (
    <section className={classes.part} aria-labelledby="proof-signatures">
      <h2 id="proof-signatures">Signatures</h2>
      <ul className={classes.list}>
        {signedBy.map((name) => (
          <li key={name}>
            Signed by <code>{name}</code>, which dates it {utc(checkpoint.signedAt)}
          </li>
        ))}
        {signedBy.length === 0 && <li>No signature of a trusted key holds.</li>}
        {cosignedBy.map(({ name, seconds }) => (
          <li key={name}>
            {seconds === null
              ? `The cosignature of the witness ${name} does not hold`
              : `Cosigned by the witness ${name}, ${timeOfSeconds(seconds, utc)}`}
          </li>
        ))}
        {unchecked.map((name) => (
          <li key={name}>
            Not checked, because the key is not known here: <code>{name}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Meaning({ verdict, trustSource }: { verdict: Judged; trustSource: TrustSource }) {
  const witnesses = verdict.cosignedBy.filter(({ seconds }) => seconds !== null).map(({ name }) => name);
  const isWitnessed = witnesses.length > 0;
  return (
    <section className={classes.part} aria-labelledby="proof-meaning">
      {verdict.status === "intact" && (
        <>
          <h2 id="proof-meaning">What this proves</h2>
          <ul className={classes.list}>
            <li>The entry was in this position of the log, with these contents, when the checkpoint was signed.</li>
            {isWitnessed && (
              <li>
                The log was seen by {witnesses.join(", ")}: its history up to here cannot be replaced without those who
                cosigned it noticing.
              </li>
            )}
          </ul>
        </>
      )}
      <h2 id={verdict.status === "intact" ? undefined : "proof-meaning"}>What it does not prove</h2>
      <ul className={classes.list}>
        <li>That what the entry says is true: it shows what was recorded.</li>
        <li>Anything about other entries, or that nothing else happened.</li>
        <li>Whose key it is: compare it with the key you were given.</li>
        {isWitnessed && trustSource.from === "server" && (
          <li>That these witnesses are independent of this server, whose own policy names them.</li>
        )}
        {!isWitnessed && (
          <li>That the holder of the signing key never wrote a second history: no witness is known here.</li>
        )}
      </ul>
    </section>
  );
}
