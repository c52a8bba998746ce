"use client";

import { Modal, Text, type TextProps } from "@mantine/core";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { count, counted } from "@/components/format/amounts";
import { dateTime, zoneName } from "@/components/format/time";
import { useZone } from "@/components/format/zone";
import { useReturnedFocus } from "@/components/ui/dialogs/use-returned-focus";
import { Facts } from "@/components/ui/facts";
import { Section } from "@/components/ui/page-header";
import { SearchField } from "@/components/ui/search-field";
import { actionLabel } from "@/server/audit/action-label";
import { SEALED_FIELDS } from "@/server/audit/row";
import type { BundleRow } from "@/server/evidence/chain/chain";
import type { EntryIndex } from "./check-file";
import classes from "./entries.module.css";

const shown = (value: unknown) => (value === null ? <i>none</i> : String(value));

/** One entry, field by field, as it was hashed. */
function EntryDialog({ row, onClose }: { row: BundleRow; onClose: () => void }) {
  const { zone } = useZone();
  useReturnedFocus();
  const at = new Date(row.timestampMs);
  return (
    <Modal
      opened
      onClose={onClose}
      title={`Entry ${row.chainSeq}, ${dateTime(at, zone)} (${zoneName(zone, at)})`}
      size="lg"
    >
      <Facts className={classes.fields} facts={SEALED_FIELDS.map((name) => [name, shown(row[name])])} />
    </Modal>
  );
}

const ROW_PX = 52;

type Search = { kind: "none" | "searching" | "failed" } | { kind: "found"; matches: number[] };

/** The search for a text; results for another text are dropped. */
function useSearch(entries: EntryIndex, text: string): Search {
  const [done, setDone] = useState<{ text: string; search: Search } | null>(null);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean).join(" ");
  useEffect(() => {
    if (!words) return;
    const abort = new AbortController();
    const end = (search: Search) => !abort.signal.aborted && setDone({ text: words, search });
    entries.search(words.split(" "), abort.signal).then(
      (matches) => end({ kind: "found", matches }),
      () => end({ kind: "failed" }),
    );
    return () => abort.abort();
  }, [entries, words]);
  if (!words) return { kind: "none" };
  return done?.text === words ? done.search : { kind: "searching" };
}

/** The entries in a bundle, searchable and virtualized. */
export function Entries({ entries }: { entries: EntryIndex }) {
  const [text, setText] = useState("");
  const [opened, setOpened] = useState<BundleRow | null>(null);
  const search = useSearch(entries, text);
  const all = counted(entries.count, "entry", "entries");
  const lead =
    search.kind === "found" ? `${counted(search.matches.length, "entry", "entries")} of ${count(entries.count)}` : all;
  return (
    <Section
      title="Entries"
      lead={<span aria-live="polite">{lead} in the file</span>}
      action={<SearchField label="Search the entries" value={text} onSearch={setText} />}
      flush
    >
      <Result key={text} entries={entries} search={search} text={text} onOpen={setOpened} />
      {opened && <EntryDialog row={opened} onClose={() => setOpened(null)} />}
    </Section>
  );
}

const None = (props: TextProps & { role?: "alert"; children: ReactNode }) => <Text px="edge" pb="lg" {...props} />;

type ResultProps = { entries: EntryIndex; search: Search; text: string; onOpen: (row: BundleRow) => void };

function Result({ entries, search, text, onOpen }: ResultProps) {
  if (search.kind === "searching") return <None>Searching for “{text}” …</None>;
  if (search.kind === "failed")
    return (
      <None role="alert">
        The file could not be read, so which entries contain “{text}” is not known. Check the bundle again.
      </None>
    );
  const matches = search.kind === "found" ? search.matches : null;
  const shown = matches?.length ?? entries.count;
  if (shown > 0) return <List entries={entries} matches={matches} shown={shown} onOpen={onOpen} />;
  return <None>{matches ? `No entry contains “${text}”.` : "The bundle holds no entries."}</None>;
}

type ListProps = { entries: EntryIndex; matches: number[] | null; shown: number; onOpen: (row: BundleRow) => void };

function List({ entries, matches, shown, onOpen }: ListProps) {
  const ref = useRef<HTMLElement>(null);
  const virtual = useVirtualizer({
    count: shown,
    getScrollElement: () => ref.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section ref={ref} className={classes.list} aria-label="Entries in the file" tabIndex={0}>
      <ul style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => (
          <li key={index} style={{ transform: `translateY(${start}px)` }}>
            <Entry entries={entries} at={matches ? (matches[index] ?? 0) : index} onOpen={onOpen} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Undefined until it has been read; null if its line is malformed. */
function useEntry(entries: EntryIndex, at: number): BundleRow | null | undefined {
  const [row, setRow] = useState<BundleRow | null>();
  useEffect(() => {
    let isCurrent = true;
    entries.entry(at).then((found) => isCurrent && setRow(found));
    return () => {
      isCurrent = false;
    };
  }, [entries, at]);
  return row;
}

function Entry({ entries, at, onOpen }: { entries: EntryIndex; at: number; onOpen: (row: BundleRow) => void }) {
  const { zone } = useZone();
  const row = useEntry(entries, at);
  if (row === undefined) return null;
  if (row === null) return <p className={classes.unread}>A line that is not in the format</p>;
  return (
    <button type="button" className={classes.entry} onClick={() => onOpen(row)}>
      <span className="tm-figures">{count(row.chainSeq)}</span>
      <span className="tm-figures">{dateTime(new Date(row.timestampMs).toISOString(), zone)}</span>
      <span className={classes.what}>
        {row.actorEmail ?? row.actorType} · {actionLabel(row.action)} · {row.resourceName ?? row.resourceType}
      </span>
      <span>{row.result}</span>
    </button>
  );
}
