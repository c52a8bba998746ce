import { Text } from "@mantine/core";
import { Archive, Cable } from "lucide-react";
import Link from "next/link";
import { CHOICE_NAMES, CHOICES } from "./kinds";
import classes from "./streams.module.css";

/** Destinations as cards that lead to the wizard, and the alternative of reading the feed. */
export const ChoiceCards = () => (
  <>
    <ul className={classes.cards} aria-label="Destinations">
      {CHOICE_NAMES.map((name) => (
        <li key={name}>
          <Link href={`/settings/streams/new?to=${name}`} prefetch={false}>
            {name === "archive" ? <Archive size={18} aria-hidden /> : <Cable size={18} aria-hidden />}
            <strong>{CHOICES[name].label}</strong>
            <span>{CHOICES[name].text}</span>
          </Link>
        </li>
      ))}
    </ul>
    <Text c="dimmed" px="edge" pb={32}>
      To pull entries instead, ask{" "}
      <a className="tm-link" href="/docs#tag/audit-logs/GET/audit-logs/feed">
        GET /audit-logs/feed
      </a>{" "}
      for what comes after the position that it answered last.
    </Text>
  </>
);
