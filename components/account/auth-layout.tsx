import type { ReactNode } from "react";
import { Mark } from "@/components/ui/mark";
import classes from "./auth.module.css";

/**
 * The layout of sign-in and first-run setup: logo, one heading, one form. No client code: the not-found page uses it
 * too.
 */
export function AuthLayout({ title, lead, children }: { title: string; lead: string; children: ReactNode }) {
  return (
    <main className={classes.ground}>
      <Trail />
      <div className={classes.card}>
        <div className={classes.brand}>
          <Mark size={36} />
          <span>Trailmark</span>
        </div>
        <h1 className={classes.title}>{title}</h1>
        <p className={classes.lead}>{lead}</p>
        {children}
      </div>
    </main>
  );
}

const STAMP = 30;
const STEP_X = 180;
const STEP_Y = 92;
const STAMPS = Array.from({ length: 7 }, (_, i) => ({ x: 130 + i * STEP_X, y: 640 - i * STEP_Y }));

/** A faint background of linked stamps, as in the logo. */
function Trail() {
  return (
    <svg
      className={classes.trail}
      viewBox="0 0 1360 720"
      preserveAspectRatio="xMidYMid slice"
      fill="none"
      strokeWidth="1.5"
      aria-hidden="true"
    >
      {STAMPS.map(({ x, y }, i) => (
        <g key={x} data-last={i === STAMPS.length - 1 || undefined}>
          <rect x={x} y={y} width={STAMP} height={STAMP} rx="8.5" />
          {i > 0 && <path d={`M${x - STEP_X + STAMP / 2} ${y + STEP_Y}V${y + STAMP / 2 + 12}q0-12 12-12H${x}`} />}
        </g>
      ))}
    </svg>
  );
}
