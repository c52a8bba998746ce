import "@fontsource-variable/inter";
import "@fontsource-variable/jetbrains-mono";
import "@mantine/core/styles.layer.css";
import "./global.css";
import { ColorSchemeScript, mantineHtmlProps } from "@mantine/core";
import type { Metadata, Viewport } from "next";
import { headers } from "next/headers";
import type { ReactNode } from "react";
import { Fonts } from "@/components/frame/fonts";
import { Providers } from "@/components/frame/providers";
import { browserZone } from "./browser-zone";

export const metadata: Metadata = {
  title: { default: "Trailmark", template: "%s · Trailmark" },
  description: "Audit trail and event logging for managed service providers",
  referrer: "same-origin",
};

export const viewport: Viewport = {
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#f4f6f7" },
    { media: "(prefers-color-scheme: dark)", color: "#0e1317" },
  ],
};

export default async function RootLayout({ children }: { children: ReactNode }) {
  const nonce = (await headers()).get("x-nonce") ?? "";
  return (
    <html lang="en" {...mantineHtmlProps}>
      <head>
        <ColorSchemeScript nonce={nonce} defaultColorScheme="auto" suppressHydrationWarning />
      </head>
      <body aria-busy>
        <Fonts />
        <Providers nonce={nonce} zone={await browserZone()}>
          {children}
        </Providers>
      </body>
    </html>
  );
}
