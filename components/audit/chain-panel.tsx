import { CopiedCode } from "../shell/copied-code";
import classes from "./chain-panel.module.css";
import type { Entry } from "./entry";

/** The entry as a stamp on the trail: sealed with its own checksum, linked to the one before by that one's. */
export function ChainPanel({ entry }: { entry: Entry }) {
  return (
    <ol className={classes.chain}>
      <li className={classes.link} data-current>
        <span className={classes.name}>Entry {entry.chainSeq}</span>
        <CopiedCode value={entry.checksum} what="checksum" />
      </li>
      <li className={classes.link}>
        {entry.prevChecksum ? (
          <>
            <span className={classes.name}>Linked to the one before</span>
            <CopiedCode value={entry.prevChecksum} what="previous checksum" />
          </>
        ) : (
          <>
            <span className={classes.name}>Start of the chain</span>
            <span className={classes.note}>
              No previous checksum: this is the first entry, or the first one that retention kept.
            </span>
          </>
        )}
      </li>
    </ol>
  );
}
