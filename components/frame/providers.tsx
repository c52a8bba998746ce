"use client";

import { MantineProvider } from "@mantine/core";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { type ReactNode, useEffect } from "react";
import { ZoneProvider } from "@/components/format/zone";
import { TrpcProvider } from "@/components/trpc";
import { cssVariables, theme } from "./theme";

type Props = { nonce: string; zone: string | null; children: ReactNode };

/** The context of every page. The nonce lets Mantine's generated styles pass the content security policy. */
export function Providers({ nonce, zone, children }: Props) {
  // The scroll lock under dialogs adds its own style element and looks for the nonce here.
  if (typeof window !== "undefined") Object.assign(globalThis, { __webpack_nonce__: nonce });
  // The server sends the body busy: until the scripts are there, its controls do not answer.
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
