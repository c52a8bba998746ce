"use client";

import type { RefObject } from "react";
import { dayName, zoneName } from "../shell/time";
import type { Entry } from "./entry";
import { EntryRow } from "./entry-row";
import classes from "./entry-table.module.css";

type Props = {
  entries: Entry[];
  zone: string;
  now: Date;
  /** Names organizations in a column of their own; null where all rows are of one. */
  orgName: ((orgId: string) => string) | null;
  openId: string | null;
  /** Old rows while new ones are on their way. */
  isStale: boolean;
  onOpen: (id: string) => void;
  bodyRef: RefObject<HTMLTableElement | null>;
};

type Day = { name: string; entries: Entry[] };

function byDay(entries: Entry[], zone: string, now: Date): Day[] {
  const days: Day[] = [];
  for (const entry of entries) {
    const name = dayName(entry.timestamp, zone, now);
    const last = days.at(-1);
    if (last?.name === name) last.entries.push(entry);
    else days.push({ name, entries: [entry] });
  }
  return days;
}

/** The entries, newest first, under a heading per day. On a phone each row is a card. */
export function EntryTable({ entries, zone, now, orgName, openId, isStale, onOpen, bodyRef }: Props) {
  const columns = orgName ? 7 : 6;
  return (
    <table className={classes.table} data-stale={isStale || undefined} aria-busy={isStale} ref={bodyRef}>
      <caption className={classes.caption}>Audit entries, newest first. Times in {zoneName(zone)}.</caption>
      <thead className={classes.head}>
        <tr>
          <th scope="col" aria-sort="descending" className={classes.time}>
            Time
          </th>
          <th scope="col" className={classes.type}>
            Actor
          </th>
          <th scope="col" className={classes.event}>
            Event
          </th>
          <th scope="col" className={classes.code}>
            Action
          </th>
          {orgName && (
            <th scope="col" className={classes.org}>
              Organization
            </th>
          )}
          <th scope="col" className={classes.from}>
            From
          </th>
          <th scope="col" className={classes.result}>
            Result
          </th>
        </tr>
      </thead>
      {byDay(entries, zone, now).map((day) => (
        <tbody key={day.name}>
          <tr className={classes.day}>
            <th scope="rowgroup" colSpan={columns}>
              {day.name}
            </th>
          </tr>
          {day.entries.map((entry, i) => (
            <EntryRow
              key={entry.id}
              entry={entry}
              above={day.entries[i - 1]}
              zone={zone}
              org={orgName ? orgName(entry.orgId) : null}
              isOpen={entry.id === openId}
              onOpen={onOpen}
            />
          ))}
        </tbody>
      ))}
    </table>
  );
}
