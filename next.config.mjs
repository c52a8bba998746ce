/** @type {import("next").NextConfig} */
export default {
  poweredByHeader: false,
  reactStrictMode: true,
  typescript: { ignoreBuildErrors: true }, // `npm run check` checks types, tests included.
  compress: true, // For pages and scripts; the front compresses the API itself, and streams never pass here.
  pageExtensions: ["tsx"], // Pages only: the front serves route.ts files, so no server code is built twice.
  redirects: async () => [
    { source: "/settings/organizations", destination: "/organizations", permanent: true },
    { source: "/customers/:path*", destination: "/organizations/:path*", permanent: true },
  ],
  // Avoids duplicate parsers: in a browser "nuqs" contains what we use of "nuqs/server".
  turbopack: { resolveAlias: { "nuqs/server": { browser: "nuqs" } } },
  experimental: {
    optimizePackageImports: ["@mantine/core", "@mantine/hooks", "lucide-react"],
  },
};
