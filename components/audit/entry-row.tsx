"use client";

import type { MouseEvent } from "react";
import { clock } from "../shell/time";
import { ActorType } from "./actor-type";
import { type Entry, sentenceOf } from "./entry";
import classes from "./entry-table.module.css";
import { ResultBadge } from "./result-badge";

type Props = {
  entry: Entry;
  /** The row above, when it is of the same day: what both share recedes. */
  above: Entry | undefined;
  zone: string;
  org: string | null;
  isOpen: boolean;
  onOpen: (id: string) => void;
};

const isPlainClick = (event: MouseEvent) => !(event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0);

/** One entry: when, who did what to what, and how it went. */
export function EntryRow({ entry, above, zone, org, isOpen, onOpen }: Props) {
  const { actor, before, target, after } = sentenceOf(entry);
  const time = clock(entry.timestamp, zone);
  const same = (value: (e: Entry) => string) => (above && value(above) === value(entry) ? "" : undefined);
  const openRow = (event: MouseEvent) => {
    if (window.getSelection()?.toString() || (event.target as Element).closest("a, button")) return;
    onOpen(entry.id);
  };
  const followLink = (event: MouseEvent) => {
    if (!isPlainClick(event)) return;
    event.preventDefault();
    onOpen(entry.id);
  };
  return (
    // The link inside is the keyboard's way; the row only widens the mouse target.
    <tr className={classes.row} data-result={entry.result} data-open={isOpen || undefined} onClick={openRow}>
      <td className={classes.time} data-same={same((e) => clock(e.timestamp, zone))}>
        <time dateTime={entry.timestamp}>{time}</time>
      </td>
      <td className={classes.type}>
        <ActorType type={entry.actorType} />
      </td>
      <td className={classes.event}>
        <a href={`/audit/${entry.id}`} className={classes.sentence} data-entry={entry.id} onClick={followLink}>
          <b>{actor}</b> {before} {target && <b>{target}</b>} {after}
        </a>
        {entry.result !== "success" && entry.errorMessage && (
          <span className={classes.error}>{entry.errorMessage}</span>
        )}
      </td>
      <td className={classes.code} data-same={same((e) => e.action)}>
        <code>{entry.action}</code>
      </td>
      {org !== null && (
        <td className={classes.org} data-same={same((e) => e.orgId)}>
          {org}
        </td>
      )}
      <td className={classes.from} data-same={same((e) => e.ipAddress)}>
        {entry.ipAddress}
      </td>
      <td className={classes.result}>
        <ResultBadge result={entry.result} />
      </td>
    </tr>
  );
}
