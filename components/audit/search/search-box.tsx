"use client";

import { Kbd, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Search } from "lucide-react";
import { type FormEvent, type KeyboardEvent, useEffect, useId, useState } from "react";
import { facetsQuery } from "@/components/audit/filters/facets-query";
import { FROM_START, type Input } from "@/components/audit/state/view";
import { useViewer } from "@/components/audit/state/viewer-context";
import { count } from "@/components/format/amounts";
import { useZone } from "@/components/format/zone";
import { useTRPC } from "@/components/trpc";
import { MAX_FILTER_LENGTH } from "@/server/ground/text";
import { complete, type Suggestion, suggestionsFor, typedValue } from "./completion";
import { byQualifier } from "./query-text";
import { loadReader, useReader } from "./reader";
import classes from "./search-box.module.css";

/**
 * Search by free text and qualifiers. Applied on Enter, because searching the log on every key press is too expensive.
 */
export function SearchBox() {
  const { view, setView, input, search } = useViewer();
  const { zone } = useZone();
  const reader = useReader(zone);
  const list = useId();
  const [typed, setTyped] = useState(view.q ?? "");
  const [isOpen, setIsOpen] = useState(false);
  const [at, setAt] = useState(-1);
  useEffect(() => setTyped(view.q ?? ""), [view.q]);
  const suggestions = suggestionsFor(typed, useKnownValues(typed, isOpen, input));
  const shown = isOpen ? suggestions : [];
  const chosen = shown[at];

  const type = (text: string) => {
    setTyped(text);
    setAt(-1);
    setIsOpen(true);
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const change = await reader.read(view, typed);
    setView({ ...change, ...FROM_START });
    setTyped(change.q ?? "");
    setIsOpen(false);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      setIsOpen(true);
      if (suggestions.length > 0)
        setAt((at + step + suggestions.length + (at < 0 && step < 0 ? 1 : 0)) % suggestions.length);
    } else if (event.key === "Enter" && chosen) type(complete(typed, chosen));
    else if (event.key === "Escape" && typed && shown.length > 0) setIsOpen(false);
    else if (event.key === "Escape") return event.currentTarget.blur();
    else return;
    event.preventDefault();
  };
  return (
    <search className={classes.search}>
      <form onSubmit={(event) => void submit(event)}>
        <TextInput
          ref={search}
          size="xs"
          role="combobox"
          aria-label="Search the audit log"
          aria-expanded={shown.length > 0}
          aria-controls={shown.length > 0 ? list : undefined}
          aria-autocomplete="list"
          aria-activedescendant={chosen ? `${list}-${at}` : undefined}
          placeholder="Search, or actor: action: device: result:"
          value={typed}
          onChange={(event) => type(event.currentTarget.value)}
          onFocus={() => {
            setIsOpen(true);
            loadReader().catch(() => undefined);
          }}
          onBlur={() => setIsOpen(false)}
          onKeyDown={onKeyDown}
          leftSection={<Search size={15} aria-hidden />}
          rightSection={<Kbd size="xs">/</Kbd>}
          maxLength={MAX_FILTER_LENGTH}
          autoComplete="off"
          enterKeyHint="search"
        />
      </form>
      {shown.length > 0 && <Suggestions id={list} list={shown} at={at} onPick={(one) => type(complete(typed, one))} />}
    </search>
  );
}

type ListProps = { id: string; list: Suggestion[]; at: number; onPick: (one: Suggestion) => void };

function Suggestions({ id, list, at, onPick }: ListProps) {
  return (
    <div role="listbox" id={id} className={`tm-float ${classes.list}`} aria-label="Suggestions">
      {list.map((one, i) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys.
        // biome-ignore lint/a11y/useFocusableInteractive: the input keeps the focus.
        <div
          key={one.label}
          role="option"
          id={`${id}-${i}`}
          aria-selected={i === at}
          className={classes.option}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onPick(one)}
        >
          <Text span size="xs" ff="monospace" truncate flex="none" maw="60%">
            {one.label}
          </Text>
          <Text span inherit c="dimmed" truncate>
            {one.hint}
          </Text>
        </div>
      ))}
    </div>
  );
}

/** Values in the log for the qualifier being typed, fetched on demand. */
function useKnownValues(
  typed: string,
  isOpen: boolean,
  input: Input,
): Record<string, { value: string; hint: string }[]> {
  const { qualifier = "", minus } = typedValue(typed) ?? {};
  const facet = byQualifier(qualifier, minus === "-")?.[1].completedBy;
  const { data } = useQuery({ ...facetsQuery(useTRPC(), input), enabled: isOpen && facet !== undefined });
  if (!facet || !data) return {};
  // Actions are filtered by code, everything else by name.
  const named = facet === "action" ? "value" : "label";
  return { [qualifier]: data[facet].map((one) => ({ value: one[named], hint: count(one.count) })) };
}
