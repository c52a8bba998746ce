import type { MantineColorsTuple } from "@mantine/core";

/** Cool neutrals of the light scheme: 0 to 2 surfaces, 3 and 4 hairlines, 6 and 7 secondary text, 9 text. */
export const gray: MantineColorsTuple = [
  "#f6f8f9",
  "#eef1f3",
  "#e3e8eb",
  "#d2d9de",
  "#b2bcc4",
  "#87939d",
  "#65717c",
  "#4c5863",
  "#323c45",
  "#182027",
];

/** Neutrals of the dark scheme: 0 and 1 text, 4 hairlines, 7 panel, 8 background. */
export const dark: MantineColorsTuple = [
  "#dce3e8",
  "#a7b3bd",
  "#8a97a2",
  "#5f6c77",
  "#313b44",
  "#262f37",
  "#1d252c",
  "#151b21",
  "#0e1317",
  "#080c0f",
];

/** The accent color, for actions and the current location. */
export const teal: MantineColorsTuple = [
  "#eaf6f5",
  "#d3ecea",
  "#a9d8d5",
  "#7ac2be",
  "#4ea9a5",
  "#2b8f8b",
  "#167774",
  "#0d6361",
  "#094f4e",
  "#063b3b",
];
