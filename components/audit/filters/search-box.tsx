"use client";

import { Kbd, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Search } from "lucide-react";
import { type FormEvent, type KeyboardEvent, type RefObject, useEffect, useId, useState } from "react";
import { count } from "@/components/format/amounts";
import { useTRPC } from "@/components/trpc";
import { complete, type Suggestion, suggestionsFor, valueBeing } from "./completion";
import type { Input } from "./entries-query";
import { type FacetName, facetsQuery } from "./facets-query";
import type { View } from "./filters";
import { exclusionsOf, toWithout } from "./narrow";
import { parseQuery } from "./query-text";
import classes from "./search-box.module.css";
import { FROM_START, type SetView } from "./set-view";

type Props = { view: View; setView: SetView; input: Input; searchRef: RefObject<HTMLInputElement | null> };

/** Free text and qualifiers. What is typed counts on Enter: the log is not searched for every letter. */
export function SearchBox({ view, setView, input, searchRef }: Props) {
  const list = useId();
  const [typed, setTyped] = useState(view.q ?? "");
  const [isOpen, setIsOpen] = useState(false);
  const [at, setAt] = useState(-1);
  useEffect(() => setTyped(view.q ?? ""), [view.q]);
  const suggestions = suggestionsFor(typed, useKnown(typed, isOpen, input));
  const shown = isOpen ? suggestions : [];
  const chosen = shown[at];

  const type = (text: string) => {
    setTyped(text);
    setAt(-1);
    setIsOpen(true);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const parsed = parseQuery(typed);
    const without = toWithout([...exclusionsOf(view.without), ...exclusionsOf(parsed.without ?? null)]);
    setView({ ...parsed, without, ...FROM_START });
    setTyped(parsed.q ?? "");
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
      <form onSubmit={submit}>
        <TextInput
          ref={searchRef}
          role="combobox"
          aria-label="Search the audit log"
          aria-expanded={shown.length > 0}
          aria-controls={shown.length > 0 ? list : undefined}
          aria-autocomplete="list"
          aria-activedescendant={chosen ? `${list}-${at}` : undefined}
          placeholder="Search, or actor: action: device: result:"
          value={typed}
          onChange={(event) => type(event.currentTarget.value)}
          onFocus={() => setIsOpen(true)}
          onBlur={() => setIsOpen(false)}
          onKeyDown={onKeyDown}
          leftSection={<Search size={15} aria-hidden />}
          rightSection={<Kbd size="xs">/</Kbd>}
          maxLength={255}
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
    <div role="listbox" id={id} className={classes.list} aria-label="Suggestions">
      {list.map((one, i) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the box takes the keys.
        // biome-ignore lint/a11y/useFocusableInteractive: likewise.
        <div
          key={one.label}
          role="option"
          id={`${id}-${i}`}
          aria-selected={i === at}
          className={classes.option}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onPick(one)}
        >
          <span className={classes.label}>{one.label}</span>
          <span className={classes.hint}>{one.hint}</span>
        </div>
      ))}
    </div>
  );
}

/** Qualifiers whose values the facets know. */
const KNOWN: Record<string, FacetName> = { actor: "actor", action: "action", resource: "resourceType" };

/** The values that the log holds for the qualifier that is being typed; asked for only then. */
function useKnown(typed: string, isOpen: boolean, input: Input): Record<string, { value: string; hint: string }[]> {
  const name = valueBeing(typed)?.name ?? "";
  const facet = KNOWN[name];
  const { data } = useQuery({ ...facetsQuery(useTRPC(), input), enabled: isOpen && facet !== undefined });
  if (!facet || !data) return {};
  const named = facet === "action" ? "value" : "label";
  return { [name]: data[facet].map((one) => ({ value: one[named], hint: count(one.count) })) };
}
