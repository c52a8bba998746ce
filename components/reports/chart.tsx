"use client";

import { Skeleton } from "@mantine/core";
import dynamic from "next/dynamic";
import type { Bar } from "./bars";

const ROW_PX = 30;
const AXIS_PX = 40;
const SHOWN = 10;
const NAME_LENGTH = 22;

const Bars = dynamic(() => import("./bars").then((m) => m.Bars), {
  ssr: false,
  loading: () => <Skeleton height="100%" />,
});

const short = (name: string) => (name.length > NAME_LENGTH ? `${name.slice(0, NAME_LENGTH - 1)}…` : name);

/** The ten largest counts; its place is kept while the drawing is fetched. */
export function Chart({ bars }: { bars: Bar[] }) {
  const shown = bars.slice(0, SHOWN).map((bar) => ({ ...bar, name: short(bar.name) }));
  const height = shown.length * ROW_PX + AXIS_PX;
  return (
    <div style={{ height, padding: "0 24px" }}>
      <Bars bars={shown} height={height} />
    </div>
  );
}
