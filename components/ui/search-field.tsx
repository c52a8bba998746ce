"use client";

import { CloseButton, TextInput } from "@mantine/core";
import { Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { MAX_FILTER_LENGTH } from "@/server/ground/text";

type Props = { label: string; value: string; onSearch: (text: string) => void };

const DEBOUNCE_MS = 300;

/** A debounced search box. */
export function SearchField({ label, value, onSearch }: Props) {
  const [typed, setTyped] = useState(value);
  const sent = useRef([value]);
  // A late answer to an earlier search must not replace newer text in the box.
  useEffect(() => {
    const at = sent.current.lastIndexOf(value);
    sent.current = at < 0 ? [value] : sent.current.slice(at);
    if (at < 0) setTyped(value);
  }, [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => {
      sent.current.push(typed);
      onSearch(typed);
    }, DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [typed, value, onSearch]);
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      value={typed}
      maxLength={MAX_FILTER_LENGTH}
      onChange={(event) => setTyped(event.currentTarget.value)}
      leftSection={<Search size={15} aria-hidden />}
      rightSection={typed ? <CloseButton size={24} aria-label="Clear the search" onClick={() => setTyped("")} /> : null}
    />
  );
}
