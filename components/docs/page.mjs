/* global Scalar */

// A test request uses the typed key's rights, never the browser session's.
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
  // Disables everything that would contact another host.
  telemetry: false,
  withDefaultFonts: false,
  hideClientButton: true,
  showDeveloperTools: "never",
  agent: { disabled: true },
  mcp: { disabled: true },
});
