"use client";

import { MantineProvider } from "@mantine/core";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { type ReactNode, useEffect } from "react";
import { ZoneProvider } from "@/components/format/zone";
import { TrpcProvider } from "@/components/trpc";
import { cssVariables, theme } from "./theme";

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
