"use client";

import { type CSSVariablesResolver, createTheme, type MantineColorsTuple, MantineProvider } from "@mantine/core";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { type ReactNode, useEffect } from "react";
import { ZoneProvider } from "@/components/format/zone";
import { TrpcProvider } from "@/components/trpc";

/** Cool neutrals of the light scheme: 0 to 2 surfaces, 3 and 4 hairlines, 6 and 7 secondary text, 9 text. */
const gray: MantineColorsTuple = [
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
const dark: MantineColorsTuple = [
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
const teal: MantineColorsTuple = [
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

const SANS = '"Inter Variable", "Inter Fallback", system-ui, sans-serif';
const MONO = '"JetBrains Mono Variable", ui-monospace, "SFMono-Regular", Menlo, monospace';

const pageControls = {
  first: "First page",
  previous: "Previous page",
  next: "Next page",
  last: "Last page",
} as const;

/** A dialog's header is a <header> element, which must not be announced as the page's banner. */
const dialogHead = { attributes: { header: { role: "presentation" } } };

const overlay = {
  ...dialogHead,
  closeButtonProps: { "aria-label": "Close" },
  overlayProps: { backgroundOpacity: 0.3 },
  transitionProps: { duration: 120 },
  padding: "xl",
};

/** Only plain default props: calling `extend` of a heavy component would load it on every page. */
const theme = createTheme({
  primaryColor: "teal",
  primaryShade: { light: 7, dark: 6 },
  colors: { gray, dark, teal },
  black: gray[9],
  autoContrast: true,
  luminanceThreshold: 0.18,
  fontFamily: SANS,
  fontFamilyMonospace: MONO,
  fontSizes: { xs: "0.75rem", sm: "0.8125rem", md: "0.875rem", lg: "1rem", xl: "1.25rem" },
  lineHeights: { xs: "1.4", sm: "1.45", md: "1.5", lg: "1.5", xl: "1.4" },
  spacing: { xs: "0.25rem", sm: "0.5rem", md: "0.75rem", lg: "1rem", xl: "1.5rem", edge: "var(--tm-edge)" },
  radius: { xs: "3px", sm: "4px", md: "6px", lg: "8px", xl: "12px" },
  defaultRadius: "md",
  headings: {
    fontFamily: SANS,
    fontWeight: "600",
    sizes: {
      h1: { fontSize: "1.25rem", lineHeight: "1.75rem" },
      h2: { fontSize: "0.875rem", lineHeight: "1.25rem" },
      h3: { fontSize: "0.875rem", lineHeight: "1.25rem" },
    },
  },
  shadows: {
    xs: "none",
    sm: "none",
    md: "0 6px 20px -6px rgb(10 22 30 / 0.18)",
    lg: "0 10px 32px -8px rgb(10 22 30 / 0.24)",
  },
  respectReducedMotion: true,
  cursorType: "pointer",
  components: {
    ActionIcon: { defaultProps: { variant: "subtle", color: "gray" } },
    Checkbox: { defaultProps: { size: "md" } },
    Chip: { defaultProps: { variant: "outline", radius: "sm", size: "sm" } },
    CloseButton: { defaultProps: { "aria-label": "Close" } },
    Drawer: { defaultProps: overlay },
    DrawerRoot: { defaultProps: { ...dialogHead, transitionProps: { duration: 120 } } },
    InputWrapper: { defaultProps: { withAsterisk: false } },
    Loader: { defaultProps: { type: "dots", size: "sm" } },
    Modal: { defaultProps: { ...overlay, centered: true } },
    Pagination: {
      defaultProps: {
        getControlProps: (control: keyof typeof pageControls) => ({ "aria-label": pageControls[control] }),
      },
    },
    PasswordInput: {
      defaultProps: { visibilityToggleButtonProps: { "aria-label": "Show or hide the password" } },
    },
    Popover: { defaultProps: { transitionProps: { duration: 80 }, shadow: "md" } },
    Select: {
      // Opens on click or key only: opened on focus, it would cover the fields of a dialog that focuses it.
      defaultProps: {
        openOnFocus: false,
        allowDeselect: false,
        checkIconPosition: "right",
        comboboxProps: { shadow: "md", transitionProps: { duration: 80 } },
      },
    },
    Spotlight: { defaultProps: { searchProps: { "aria-label": "Search" } } },
  },
});

/** Fixes for colors that miss the contrast of WCAG AA, and our own surfaces. */
const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-body": "#ffffff",
    "--mantine-color-dimmed": "#56626d",
    "--mantine-color-placeholder": "#5c666f",
    "--mantine-color-error": "#a8201d",
    "--mantine-color-default-border": "var(--mantine-color-gray-3)",
    "--mantine-color-anchor": "var(--mantine-color-teal-7)",
    "--mantine-color-gray-text": "var(--mantine-color-gray-7)",
    "--mantine-color-gray-light-color": "var(--mantine-color-gray-8)",
    "--mantine-color-yellow-light-color": "color-mix(in srgb, var(--mantine-color-yellow-9), black 38%)",
    "--mantine-color-teal-light-color": "var(--mantine-color-teal-8)",
    "--mantine-color-teal-outline": "var(--mantine-color-teal-7)",
  },
  dark: {
    "--mantine-color-body": "var(--mantine-color-dark-7)",
    "--mantine-color-dimmed": "#9aa7b1",
    "--mantine-color-placeholder": "#98a4ae",
    "--mantine-color-error": "#ff8a80",
    "--mantine-color-default-border": "var(--mantine-color-dark-4)",
    "--mantine-color-anchor": "var(--mantine-color-teal-3)",
    "--mantine-color-gray-text": "var(--mantine-color-dark-0)",
    "--mantine-color-gray-light": "var(--mantine-color-dark-5)",
    "--mantine-color-gray-light-hover": "var(--mantine-color-dark-4)",
  },
});

type Props = { nonce: string; zone: string | null; children: ReactNode };

/** Providers of every page. The nonce lets Mantine's generated styles pass the content security policy. */
export function Providers({ nonce, zone, children }: Props) {
  // The scroll lock of dialogs inserts its own style element and reads the nonce from here.
  if (typeof window !== "undefined") Object.assign(globalThis, { __webpack_nonce__: nonce });
  // The server renders the body as busy until it is hydrated, because controls do not work before.
  useEffect(() => document.body.removeAttribute("aria-busy"), []);
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <NuqsAdapter>
        <TrpcProvider>
          <ZoneProvider initial={zone}>{children}</ZoneProvider>
        </TrpcProvider>
      </NuqsAdapter>
    </MantineProvider>
  );
}
