import { Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Mark } from "../shell/mark";
import classes from "./entrance.module.css";

/** The frame of sign-in and first run: the mark, one heading, one form. */
export function Entrance({ title, lead, children }: { title: string; lead: string; children: ReactNode }) {
  return (
    <main className={classes.ground}>
      <Trail />
      <div className={classes.card}>
        <div className={classes.brand}>
          <Mark size={36} />
          <span>Trailmark</span>
        </div>
        <Title order={1}>{title}</Title>
        <Text c="dimmed" mb="lg">
          {lead}
        </Text>
        {children}
      </div>
    </main>
  );
}

const STAMPS = Array.from({ length: 9 }, (_, i) => ({ x: 60 + i * 150, y: 640 - i * 66 - (i % 3) * 18 }));

/** A faint trail of stamps across the page, each linked to the one before. */
function Trail() {
  return (
    <svg className={classes.trail} viewBox="0 0 1360 720" preserveAspectRatio="xMidYMid slice" fill="none" aria-hidden>
      {STAMPS.slice(1).map((to, i) => {
        const from = STAMPS[i] ?? to;
        return <path key={to.x} d={`M${from.x + 34} ${from.y + 6}L${to.x - 6} ${to.y + 30}`} strokeWidth="1.5" />;
      })}
      {STAMPS.map(({ x, y }, i) => (
        <rect
          key={x}
          x={x}
          y={y}
          width="28"
          height="28"
          rx="8"
          strokeWidth="1.5"
          data-last={i === STAMPS.length - 1 || undefined}
        />
      ))}
    </svg>
  );
}
