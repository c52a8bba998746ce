"use client";

import { type RefObject, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { describeAge } from "@/components/format/relative";
import { dateTime, zoneName } from "@/components/format/time";
import { useZone } from "@/components/format/zone";
import { Facts } from "@/components/ui/facts";
import { useListeners } from "@/components/ui/key-down";
import { positionBeside } from "@/components/ui/popover/position";
import classes from "./time-card.module.css";

const HOVER_DELAY_MS = 150;

type Shown = { time: HTMLTimeElement; link: HTMLElement | null };

const timeOf = (target: EventTarget | null) =>
  target instanceof Element ? target.closest<HTMLTimeElement>("time[data-card]") : null;

/**
 * A card with an entry's time in UTC, the local and display zones, as seconds since 1970 and relative. One card serves
 * the whole table; it opens on hover, or by "t" on a focused entry.
 */
export function TimeCard({ frame, now }: { frame: RefObject<HTMLElement | null>; now: Date }) {
  const [shown, setShown] = useState<Shown | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useListeners(
    {
      pointerover: ({ target, pointerType }) => {
        clearTimeout(timer.current);
        if (pointerType !== "mouse") return;
        const time = timeOf(target);
        if (time) timer.current = setTimeout(() => setShown({ time, link: null }), HOVER_DELAY_MS);
        else setShown(null);
      },
      pointerleave: () => {
        clearTimeout(timer.current);
        setShown(null);
      },
      keydown: (event) => {
        if (event.key !== "t" || event.ctrlKey || event.metaKey || event.altKey) return;
        const link = event.target instanceof HTMLElement && event.target.matches("[data-entry]") ? event.target : null;
        const time = link?.closest("tr")?.querySelector<HTMLTimeElement>("time[data-card]");
        if (link && time) setShown({ time, link });
      },
    },
    () => frame.current,
  );
  if (!shown?.time.isConnected) return null;
  return (
    <Card
      key={`${shown.time.dateTime} ${shown.link?.dataset.entry}`}
      shown={shown}
      now={now}
      onClose={() => setShown(null)}
    />
  );
}

function Card({ shown: { time, link }, now, onClose }: { shown: Shown; now: Date; onClose: () => void }) {
  const { zone, local } = useZone();
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const at = time.dateTime;
  useLayoutEffect(() => {
    if (box.current) positionBeside(time, box.current, "start");
  }, [time]);
  useListeners({ keydown: ({ key }) => key === "Escape" && onClose(), scroll: onClose });
  useListeners({ blur: onClose }, () => link);
  useEffect(() => {
    link?.setAttribute("aria-describedby", id);
    return () => link?.removeAttribute("aria-describedby");
  }, [link, id]);
  const zones = [...new Set(["UTC", local, zone])];
  return createPortal(
    <div role="tooltip" id={id} className={`tm-float tm-figures ${classes.card}`} ref={box}>
      <p>{describeAge(at, now)}</p>
      <Facts
        facts={[
          ...zones.map((name) => [name === "UTC" ? "UTC" : zoneName(name, new Date(at)), dateTime(at, name)] as const),
          ["Since 1970", `${new Date(at).getTime() / 1000} s`],
        ]}
      />
    </div>,
    document.querySelector("main") ?? document.body,
  );
}
