/* global Scalar */

// A request that is tried has the rights of the key that was typed, never those of the browser's session.
const send = window.fetch;
window.fetch = (request, options) => send(request, { ...options, credentials: "omit" });

/** The color scheme chosen in the dashboard, or the system's. */
function colorScheme() {
  const chosen = localStorage.getItem("mantine-color-scheme-value");
  if (chosen === "light" || chosen === "dark") return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

Scalar.createApiReference("#reference", {
  url: "/api/v1/openapi.json",
  servers: [{ url: `${location.origin}/api/v1` }],
  forceDarkModeState: colorScheme(),
  hideDarkModeToggle: true,
  // Everything that would reach a host other than this server.
  telemetry: false,
  withDefaultFonts: false,
  hideClientButton: true,
  showDeveloperTools: "never",
  agent: { disabled: true },
  mcp: { disabled: true },
});
